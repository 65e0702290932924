import pytest

from ragsweep.text.keywords import STOP_WORDS, keywords


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("the of and", []),
        ("Leaves LEAVE leaving", ["leav", "leav", "leav"]),
        ("What's a day", ["what", "day"]),  # single letters carry nothing
        ("form 4", ["form", "4"]),  # single digits do
        ("error ERR_4021.", ["error", "err", "4021", "err_4021"]),
        ("ISO-9001/2015", ["iso", "9001", "2015", "iso-9001/2015"]),
        ("state-of-the-art", ["state", "art"]),  # no digit: no code
        ("max__retries", ["max", "retri", "max__retries"]),
        ("oﬃce ＡＢＣ", ["offic", "abc"]),
        ("cafe\u0301 café", ["café", "café"]),
        ("年", ["年"]),
        ("iPhone手机壳2", ["iphon", "手机", "机壳", "2"]),
        ("カタカナ、한국어", ["カタ", "タカ", "カナ", "한국", "국어"]),
        ("... _ -", []),
        ("", []),
    ],
)
def test_terms(text, terms):
    assert keywords(text) == terms


def test_a_code_is_found_whole_by_its_parts_and_by_other_joiners():
    document = set(keywords("raised ERR_4021 twice"))
    assert document & set(keywords("err_4021")) == {"err", "4021", "err_4021"}
    assert "4021" in document & set(keywords("error 4021"))


def test_stop_words_are_those_of_the_measured_baseline():
    stopwords = pytest.importorskip("bm25s.stopwords")
    assert STOP_WORDS["english"] == set(stopwords.STOPWORDS_EN)
