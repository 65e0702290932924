import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsweep.text.sentences import sentence_spans


@pytest.mark.parametrize(
    "sentences",
    [
        ["Leave is 20 days.", "Ask HR"],
        ["No punctuation here"],
        ["Dr. A. B. Li met Mrs. Ray vs. St. Paul et al. 2020 in the U.S. Army."],
        ["It is 3.5 days, v1.2.3 at example.com.", "Then it ends."],
        ["See Fig. 3, No. 5 and Jan. 2.", "No.", "Ask HR."],
        ["Acme Inc. said so, e.g. twice, etc. and so on.", "He owns Acme Inc.", "She does not."],
        ["I don't.", "He does."],  # the t of don't is no initial
        ["It began in 2020.", "It goes on."],  # a year is no list number
        ["1. Open the lid."],
        ['"Why?" he said.', "“Go!”", "He went."],
        ["well... perhaps.", "Yes."],
        ["lower case.", "still two!", "three?", "four"],
        ["Really?!", "Yes (all of it.)", "Good."],
    ],
)
@pytest.mark.parametrize("space", [" ", "\n", "  \n "])
def test_sentences(sentences: list[str], space: str) -> None:
    text = space.join(sentences)
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences


def test_a_list_number_begins_a_line() -> None:
    text = "Steps:\n1. Open it.\n  12. Close it. Then 3. Done"
    assert [text[a:b] for a, b in sentence_spans(text)] == ["Steps:\n1. Open it.", "12. Close it.", "Then 3.", "Done"]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("年休二十日。「はい。」と言った！本当？ok", ["年休二十日。", "「はい。」", "と言った！", "本当？", "ok"]),
        ("真的吗？！是的。。", ["真的吗？！", "是的。。"]),
        ("पहला है। दूसरा है।", ["पहला है।", "दूसरा है।"]),
        ("a line\nends nothing", ["a line\nends nothing"]),
        ("Heading\n\nText", ["Heading", "Text"]),
        ("Heading\n \t\nText", ["Heading", "Text"]),
        ("", []),
        (" \n\n ", []),
        ("...", ["..."]),
    ],
)
def test_other_ends(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences


@given(st.text(alphabet="aB1 .?。」\n\"'"))
def test_sentences_hold_every_non_space_in_order(text: str) -> None:
    parts = [text[start:end] for start, end in sentence_spans(text)]
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(part and part == part.strip() for part in parts)
