"""Exact match, token F1 and required facts."""

import pytest

from ragsweep.metrics.answers import exact_match, facts_found, token_f1


@pytest.mark.parametrize(
    ("answer", "right", "exact", "f1"),
    [  # checked by hand; the same values by transformers 4.57.6, squad_metrics.compute_exact and compute_f1, the best over all
        ("20 days", ["20 days"], 1, 1),
        ("The 20 days.", ["20 days"], 1, 1),
        ("20 days", ["30 days"], 0, 1 / 2),
        ("You get 20 days of leave a year", ["20 days"], 0, 4 / 9),  # 2 of 7 tokens ("a" is an article), 2 of 2
        ("20", ["20 days"], 0, 2 / 3),
        ("20 days", ["20 days", "four weeks"], 1, 1),
        ("four weeks", ["20 days", "four weeks"], 1, 1),
        ("weeks four", ["four weeks"], 0, 1),
        ("Paris, France", ["Paris"], 0, 2 / 3),
        ("PARIS", ["paris"], 1, 1),
        ("St. John's", ["St Johns"], 1, 1),
        ("state-of-the-art", ["state of the art"], 0, 0),  # punctuation goes first: stateoftheart
        ("stateoftheart", ["state-of-the-art"], 1, 1),
        ("$1,200.50", ["1200.50"], 1, 1),
        ("1200.50", ["120050"], 1, 1),
        ("1,200 dollars", ["1200"], 0, 2 / 3),
        ("a an the", ["the"], 1, 1),
        ("", ["20 days"], 0, 0),
        ("the", ["20 days"], 0, 0),
        ("another theme", ["other theme"], 0, 1 / 2),  # articles are whole words
        ("an apple and a pear", ["apple and pear"], 1, 1),
        ("the the cat", ["cat"], 1, 1),
        ("cat cat cat", ["cat"], 0, 1 / 2),  # a token counts as often as both have it
        ("cat dog", ["cat cat dog"], 0, 4 / 5),
        ("  20\n days\t", ["20 days"], 1, 1),
        ("“20 days”", ["20 days"], 0, 0),  # curly quotes are no ASCII punctuation
        ("20–25 days", ["20-25 days"], 0, 1 / 2),
        ("Café au lait", ["cafe au lait"], 0, 2 / 3),
        ("yes, within 5 business days", ["within five business days", "5 business days"], 0, 3 / 4),
        ("I don't know", ["I do not know"], 0, 4 / 7),
        ("A", ["B"], 0, 0),
        ("in the U.S.A.", ["USA", "United States"], 0, 2 / 3),
    ],
)
def test_squad(answer: str, right: list[str], exact: float, f1: float) -> None:
    assert exact_match(answer, right) == exact
    assert token_f1(answer, right) == pytest.approx(f1, abs=1e-12)


def test_the_best_right_answer_counts_by_its_f1_not_by_its_parts() -> None:
    """The best precision of one answer and the best recall of another would make 1 of it."""
    assert token_f1("a b c d", ["b", "b c d e f g h i"]) == pytest.approx(6 / 11)


def test_chinese_tokens_are_characters() -> None:
    assert token_f1("二十天", ["二十天年假"]) == pytest.approx(2 * 3 / 8)


@pytest.mark.parametrize(
    ("answer", "facts", "share"),
    [
        ("You get 20 days, in March.", ["20 days", "March"], 1),
        ("You get 120 days.", ["20 days"], 0),  # an end digit touches no digit
        ("It is a party.", ["art"], 0),  # whole words, also where there is no other place
        ("The oﬃce closes at five o’clock.", ["office", "five o'clock", "six"], 2 / 3),
        ("20\xa0days", [" 20  days "], 1),
        ("", ["20 days"], 0),
        ("二十天年假", ["十天"], 1),
    ],
)
def test_required_facts(answer: str, facts: list[str], share: float) -> None:
    assert facts_found(answer, facts) == pytest.approx(share)


def test_a_long_answer_takes_no_long_time() -> None:
    answer = "days of leave " * 80_000
    assert len(answer) > 1_000_000
    assert token_f1(answer, ["20 days"]) == pytest.approx(2 / 240_002)
    assert facts_found(answer, ["20 days", "of leave"]) == 0.5
