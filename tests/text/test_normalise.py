"""The normal form, its map back, and the search for quotes."""

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsweep.text.normalise import loosened, normalise, occurrences

UNSEEN = (
    "[\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
AWKWARD = st.text(st.one_of(st.sampled_from("aB1 -\n\t\u200b\u034f­‐ﬃeéß́̈ İ½¨ᄒ각ᆨᅡﾞｶ年。“—"), st.characters()), max_size=40)


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("oﬃce", "office"),
        ("5\n  business days", "5 business days"),
        ("hello  world", "hello world"),
        ("cafe\u0301 CAFÉ", "café café"),
        ("“It’s” ‘so’ – yes — no", "\"it's\" 'so' - yes - no"),
        ("pay\u00adment soft \u00ad hyphen", "payment soft hyphen"),
        ("pay-\nment, pay-  \n ment, pay‐\nment, pay\u00ad\nment", "payment, payment, payment, payment"),
        ("across the pay-\n\nment border", "across the payment border"),
        ("2019-\n2020, a -\nb, word—\nword", "2019- 2020, a - b, word- word"),
        ("Straße \u00a0½ ①", "strasse 1⁄2 1"),
        (
            "\u1112\u1161\u11ab \u1100\u1161\u1100",
            "한 가\u1100",
        ),  # Hangul by vowels and finals; their composition is in no table
        ("re\u200bport \u2060re\ufeffport\u200e, cafe\u034f\u0301", "report report, café"),
        ("❤\ufe0f \u200b\n", "❤ "),
        ("", ""),
        ("\u200b", ""),
        ("\u0301", "\u0301"),
        ("\ud800 lone", "\ud800 lone"),
    ],
)
def test_normal_form(text, normal):
    assert normalise(text).text == normal


@given(AWKWARD)
def test_folding_by_clusters_is_the_folding_of_the_whole_text(text):
    """Without noise to drop, the index map must not change what NFKC and case folding give."""
    text = re.sub(rf"[\s\xad]|{UNSEEN}", "", text)
    whole = unicodedata.normalize("NFKC", text).casefold()
    plain = whole.translate(str.maketrans("‘’‚‛“”„‟‐‑‒–—―−", "''''\"\"\"\"-------"))
    assert normalise(text).text.replace(" ", "") == re.sub(r"[\s\xad]", "", plain)


def test_every_composing_character_is_known():
    """Against the whole Unicode table of this Python: what composes with the one before is folded together with it."""
    pairs = (unicodedata.decomposition(chr(code)).split() for code in range(sys.maxunicode))
    canonical = {pair[1]: pair for pair in pairs if len(pair) == 2 and not pair[0].startswith("<")}
    assert len(canonical) > 50
    for first, second in canonical.values():
        text = chr(int(first, 16)) + chr(int(second, 16))
        assert normalise(text).text == unicodedata.normalize("NFKC", text).casefold()


@given(AWKWARD)
def test_map_rises_and_leads_back(text):
    normal = normalise(text)
    assert len(normal.text) == len(normal.starts) == len(normal.ends)
    assert all(a <= b for a, b in zip(normal.starts, normal.starts[1:], strict=False))
    for place, char in enumerate(normal.text):
        start, end = normal.original(place, place + 1)
        assert 0 <= start < end <= len(text)
        if char != " " and char not in "'\"-":
            assert char in unicodedata.normalize("NFKC", re.sub(rf"\xad|{UNSEEN}", "", text[start:end])).casefold()


@given(AWKWARD)
def test_idempotent_without_line_ends(text):
    text = text.replace("\n", " ")
    once = normalise(text).text
    assert normalise(once).text == once


@given(st.text("ab 1é\u0301-\n", max_size=30), st.data())
def test_every_passage_cut_at_spaces_is_found_where_it_stands(text, data):
    words = list(re.finditer(r"\S+", text))
    if not words:
        return
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first, len(words) - 1))
    start, end = words[first].start(), words[last].end()
    if text[:start].rstrip(" \n").endswith("-") or text[start:end].endswith("-") or text[start] == "\u0301":
        return  # cut inside a joined word or before an accent
    quote, normal = normalise(text[start:end]).text, normalise(text)
    found = [normal.original(place, place + len(quote)) for place in occurrences(quote, normal.text)[0]]
    assert (start, end) in found


@pytest.mark.parametrize(
    ("quote", "text", "span"),
    [
        ("well-known", "a well-\nknown man", (2, 13)),
        ("wellknown", "a well-known man", (2, 12)),
        ("well\u2014known", "a well\u2014\nknown man", (2, 13)),
        ("年休二十日", "有年休\n二十日。", (1, 7)),
        ("年休。二十日", "年休。\n\n 二十日", (0, 9)),
        ("年休 二十日", "年休二十日", (0, 5)),
        ("共20天", "共 20\n天", (0, 6)),
        ("COVID-19", "of COVID-\n19.", (3, 12)),
        ("2019-2020", "2019-\n2020", (0, 10)),
    ],
)
def test_a_quote_that_the_end_of_a_line_changed_is_found_in_the_loosened_form(quote, text, span):
    assert occurrences(normalise(quote).text, normalise(text).text)[0] == []
    asked, searched = (loosened(normalise(each)) for each in (quote, text))
    (start,), whole = occurrences(asked.text, searched.text)
    assert (searched.original(start, start + len(asked.text)), whole) == (span, True)


@pytest.mark.parametrize(("quote", "text"), [("1012", "10-12"), ("10 12", "10-12"), ("a b", "ab"), ("10 days", "1 0 days")])
def test_numbers_and_words_are_not_put_together(quote, text):
    assert occurrences(loosened(normalise(quote)).text, loosened(normalise(text)).text)[0] == []


@given(st.text("ab-1 \n年休。", max_size=30))
def test_what_the_normal_form_holds_the_loosened_form_holds(text):
    """And at the same places: its map leads to the same characters."""
    normal = normalise(text)
    loose = loosened(normal)
    assert len(loose.text) == len(loose.starts) == len(loose.ends)
    kept = list(zip(normal.text, normal.starts, normal.ends, strict=True))
    left = list(zip(loose.text, loose.starts, loose.ends, strict=True))
    dropped = "".join(char for char, *place in kept if not any(place == other for _, *other in left))
    assert [each for each in kept if each in left] == left and set(dropped) <= set("- ")


@pytest.mark.parametrize(
    ("quote", "text", "starts", "whole"),
    [
        ("10 days", "110 days", [], True),
        ("10 days", "110 days or 10 days", [12], True),
        ("section 1", "section 12, section 1", [12], True),
        ("pay", "repay, pay, pays", [7], True),
        ("pay", "repay, pays", [2, 7], False),
        ("10", "10th", [0], True),
        ("a", "a_b a", [4], True),
        ("aa", "aaaa", [0, 1, 2], False),
        ("ana", "ana banana", [0], True),
        ("-a-", "-a-a-", [0, 2], True),
        ("年休", "有年休二十日。年休", [1, 7], True),
        ("क", "का क", [3], True),
        ("", "text", [], True),
    ],
)
def test_occurrences(quote, text, starts, whole):
    assert occurrences(quote, text) == (starts, whole)
