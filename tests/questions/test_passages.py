"""What was cut out of a document at white space, as chunkers cut, is found there again."""

import re

from ragsweep.questions.quotes import Quotes
from ragsweep.text.normalise import normalise
from ragsweep.types import Document

TEXT = "Pay out-of-\n\nnetwork pro-\nviders, e-mail, a - b, 10-\n20 days co\u00ad\noperate and re-\nEnter “x”—y. Dr.\tNo"


def test_every_run_of_words_is_found_where_it_was_cut():
    """A line that ends within a word ends in a hyphen, which the whole text joins and the cut one keeps."""
    quotes = Quotes({"a.md": Document("a.md", TEXT, "")})
    words = [match.span() for match in re.finditer(r"\S+", TEXT)]
    cuts = [(start, end) for place, (start, _) in enumerate(words) for _, end in words[place:]]
    for start, end in cuts:
        found = quotes.passage(normalise(TEXT[start:end]).text.strip(), ["a.md"])
        assert any(place.start <= start + 1 and place.end >= end - 1 for place in found), TEXT[start:end]
    assert [quotes.passage(text, ["a.md"]) for text in ("", "-x", "nowhere-")] == [(), (), ()]
