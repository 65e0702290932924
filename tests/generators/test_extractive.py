"""extractive: which sentences answer, what is refused, and the rules of adaptive."""

from math import log

import numpy as np
import pytest

from ragsweep.errors import InputError
from ragsweep.generators import REFUSAL
from ragsweep.generators.extractive import Extractive, sentence_scores
from ragsweep.index import Chunks, Index, Sentences, SentenceSpans
from ragsweep.setups import describe
from ragsweep.types import Document

TEXT = "Leave is paid. Leave is long. Tax is due. Rain fell. Rain fell."


class Towards:
    """A query vector (1, 0)."""

    def vector(self, text):
        return np.array([1, 0], dtype=np.float32)


def unit(cosine):
    return [cosine, (1 - cosine**2) ** 0.5]


@pytest.fixture
def cosines():
    """By distinct sentence: paid, long, tax, rain."""
    return [0.5, 0.9, 0.1, 0.3]


@pytest.fixture
def paragraphs(cosines):
    """One document, chunks [0, 29) [15, 41) [42, 63): the second sentence is in two of them, the last chunk says one twice."""
    documents = {"a.md": Document("a.md", TEXT, sha256="a")}
    chunks = Chunks(("a.md",), np.array([[0, 0, 29], [0, 15, 41], [0, 42, 63]], dtype=np.int64))
    places, texts = SentenceSpans.split(chunks, documents)
    assert texts == ["Leave is paid.", "Leave is long.", "Tax is due.", "Rain fell."]
    return Index(chunks, documents, sentences=Sentences.build(places, texts, np.array([unit(c) for c in cosines], np.float32)))


def hits(index, *places):
    return [index.hit(place, 0.0) for place in places]


def answer(index, question, *places, threshold=0.44):
    return Extractive(threshold).generate(index, question, Towards(), hits(index, *places))


def test_a_score_is_half_cosine_and_half_coverage_weighted_by_idf(paragraphs):
    # N = 4 distinct sentences; "leave" is in 2 of them, "paid" in 1, "visa" in none.
    leave, paid, visa = log(5 / 3), log(5 / 2), log(5 / 1)
    scores = [one.score for one in sentence_scores(paragraphs, "visa paid leave leave", Towards(), hits(paragraphs, 0))]
    assert scores == pytest.approx(
        [0.5 * 0.5 + 0.5 * (leave + paid) / (leave + paid + visa), 0.5 * 0.9 + 0.5 * leave / (leave + paid + visa)], abs=1e-6
    )


def test_a_question_without_stems_is_scored_by_cosine_alone(paragraphs):
    assert [one.score for one in sentence_scores(paragraphs, "is it?", Towards(), hits(paragraphs, 0))] == [0.25, 0.45]


def test_the_best_two_sentences_best_first(paragraphs):
    said = answer(paragraphs, "paid leave", 0, 2)
    assert (said.text, said.abstained, said.cited) == ("Leave is paid. Leave is long.", False, (0,))


def test_a_third_sentence_is_not_said(paragraphs):
    assert answer(paragraphs, "leave", 0, 1, 2, threshold=0.0).text == "Leave is long. Leave is paid."


def test_a_second_sentence_below_the_threshold_is_not_said(paragraphs):
    assert answer(paragraphs, "tax due", 1, threshold=0.5).text == "Tax is due."


def test_a_sentence_that_two_chunks_hold_is_said_once_and_cites_the_first_by_place(paragraphs):
    said = answer(paragraphs, "long leave", 1, 0, threshold=0.7)
    assert (said.text, said.cited) == ("Leave is long.", (0,))


def test_equal_text_is_said_once(paragraphs):
    assert answer(paragraphs, "rain fell", 2).text == "Rain fell."


def test_each_cited_chunk_is_named_once_in_the_order_of_the_sentences(paragraphs):
    said = answer(paragraphs, "rain fell", 1, 2)
    assert (said.text, said.cited) == ("Rain fell. Leave is long.", (2, 1))


@pytest.mark.parametrize("cosines", [[0.5, 0.5, 0.1, 0.3]])
def test_equal_scores_stand_by_place_whatever_the_order_of_the_chunks(paragraphs):
    assert answer(paragraphs, "leave", 1, 0).text == answer(paragraphs, "leave", 0, 1).text == "Leave is paid. Leave is long."


def test_a_cut_of_a_sentence_already_said_is_left_out():
    documents = {"a.md": Document("a.md", "You may leave early. Ask.", sha256="a")}
    chunks = Chunks(("a.md",), np.array([[0, 0, 20], [0, 8, 25]], dtype=np.int64))
    places, texts = SentenceSpans.split(chunks, documents)
    assert texts == ["You may leave early.", "leave early.", "Ask."]
    vectors = np.array([unit(0.9), unit(0.8), unit(0.6)], np.float32)
    index = Index(chunks, documents, sentences=Sentences.build(places, texts, vectors))
    assert answer(index, "leave early", 0, 1, threshold=0.0).text == "You may leave early. Ask."


@pytest.mark.parametrize(("threshold", "abstains"), [(0.25, False), (0.250001, True)])
def test_at_the_threshold_it_answers_and_below_it_refuses(paragraphs, threshold, abstains):
    said = answer(paragraphs, "visa", 0, 2, threshold=threshold + 0.2)  # the best sentence has cosine 0.9 and no stem
    assert said.abstained is abstains
    assert (said.text == REFUSAL, said.cited == ()) == (abstains, abstains)


@pytest.mark.parametrize("question", ["paid leave", "visa", "tax", "is it?", ""])
@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.44, 0.46, 1.0])
def test_the_check_fails_exactly_where_generate_refuses(paragraphs, question, threshold):
    generator, chunks = Extractive(threshold), hits(paragraphs, 0, 2)
    refused = generator.generate(paragraphs, question, Towards(), chunks).abstained
    assert generator.check(paragraphs, question, Towards(), chunks) is not refused


@pytest.mark.parametrize("threshold", [-0.1, 1.01, float("nan")])
def test_a_threshold_outside_0_to_1_is_refused(threshold):
    with pytest.raises(InputError, match="write threshold"):
        Extractive(threshold)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("How many days do I get?", ["How many days do I get?"]),
        ("Who pays for desks and chairs at home?", ["Who pays for desks and chairs at home?"]),
        ("Who pays travel costs and which hotels are allowed?", ["Who pays travel costs", "which hotels are allowed?"]),
        ("Who pays travel costs? Which hotels are allowed?", ["Who pays travel costs?", "Which hotels are allowed?"]),
        (
            "How many days may I carry over, and when do they lapse?",
            ["How many days may I carry over, and when do they lapse?"],
        ),
        ("Who pays travel costs, and why?", ["Who pays travel costs, and why?"]),
        ("What is a sandbox and whatever else?", ["What is a sandbox and whatever else?"]),
        ("", [""]),
    ],
)
def test_route(question, parts):
    assert list(Extractive().route(question)) == parts


@pytest.mark.parametrize(
    ("question", "attempt", "rewritten"),
    [
        ("Can I work from Spain for a month?", 1, "work from Spain month"),
        ("Can I work from Spain for a month?", 2, "Spain month"),
        ("Why?", 1, "Why?"),
        ("ERR_4021", 2, "ERR_4021"),
    ],
)
def test_rewrite(question, attempt, rewritten):
    assert Extractive().rewrite(question, attempt) == rewritten


# ---- languages ---------------------------------------------------------------------------------------------------------


def test_rewriting_leaves_out_the_stop_words_of_its_language():
    question = "Wie viele der Urlaubstage verfallen?"
    assert Extractive().rewrite(question, 1) == "Wie viele der Urlaubstage verfallen"
    assert Extractive(language="german").rewrite(question, 1) == "viele Urlaubstage verfallen"
    assert describe(Extractive()) != describe(Extractive(language="german"))


@pytest.mark.parametrize(("language", "covered"), [("english", log(3 / 2) / log(9 / 2)), ("german", 1.0)])
def test_coverage_counts_the_stems_of_the_language_of_the_sentences(language, covered):
    """ "des" is a stop word of German; in English it is a stem that no sentence holds."""
    text = "Die Urlaubstage. Der Lohn."
    documents = {"a": Document("a", text, "a")}
    chunks = Chunks(("a",), np.array([[0, 0, len(text)]], dtype=np.int64))
    places, texts = SentenceSpans.split(chunks, documents)
    index = Index(chunks, documents, sentences=Sentences.build(places, texts, np.array([[0, 1], [0, 1]], np.float32), language))
    first, _ = sentence_scores(index, "des Urlaubstages", Towards(), [index.hit(0, 1.0)])
    assert first.score == pytest.approx(0.5 * covered, abs=1e-6)
