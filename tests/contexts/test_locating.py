"""Where a context is by what it tells, however wrong that is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsweep.contexts.locating import Locator, Returned, not_known, said_of
from ragsweep.contexts.outside import extended
from ragsweep.contexts.reading import Context
from ragsweep.text.normalise import normalise
from ragsweep.types import Document

TEXTS = {"hr/a.md": "Staff have 25 days. Ask HR.", "it/a.md": "Ask HR.", "c.pdf": "First page.\n\nSecond page.\n\nThird page."}
PAGES = {"c.pdf": ((0, 11), (13, 25), (27, 38))}
DOCUMENTS = {id: Document(id, text, "", pages=PAGES.get(id, ())) for id, text in TEXTS.items()}
LOCATOR = Locator(DOCUMENTS)


@pytest.mark.parametrize(
    ("context", "document", "span", "how"),
    [
        (Context("Ask HR."), "hr/a.md", (20, 27), ("several",)),
        (Context("Ask HR.", "/srv/it/a.md"), "it/a.md", (0, 7), ("path",)),
        (Context("Ask HR.", "a.md"), "", None, ("same_name",)),
        (Context(None, "b.md"), "", None, ("unknown_file",)),
        (Context("25 days", "hr/a.md", span=(90, 99)), "hr/a.md", (11, 18), ("offsets",)),
        (Context(None, "hr/a.md", span=(90, 99)), "hr/a.md", None, ("offsets", "file")),
        (Context(None, "c.pdf", (2, 3)), "c.pdf", (13, 38), ("page",)),
        (Context(None, "c.pdf", (1, 3)), "c.pdf", None, ("file",)),  # not in a row
        (Context(None, "c.pdf", (9,)), "c.pdf", None, ("file",)),
        (Context("another reading", "c.pdf", (2, 3)), "c.pdf", (24, 28), ("page_text",)),
        (Context("another reading", "c.pdf", (9,)), "c.pdf", None, ("nowhere",)),
        (Context("page.", pages=(3,)), "c.pdf", (33, 38), ()),
        (Context("Third page.", "c.pdf", (1,)), "c.pdf", (27, 38), ("other_page",)),
        (Context(" \n"), "", None, ("nowhere",)),
        (Context("5 days. A"), "hr/a.md", (12, 21), ()),  # within a number and a word, as a chunk may be cut
        (Context("- **Staff** have 25 days, ask HR…"), "hr/a.md", (0, 26), ("words",)),
        (Context("[File: handbook]\nStaff have 25 days. Ask HR."), "hr/a.md", (0, 26), ("words",)),
        (Context("We all know: Staff have 35 days. Ask HR."), "", None, ("nowhere",)),
        (Context("1st page 2nd page Second page Third page", "c.pdf"), "c.pdf", None, ("nowhere",)),  # under three in four
    ],
    ids=str,
)
def test_a_context_is_where_it_tells(context, document, span, how):
    located = LOCATOR.locate(context)
    assert (located.document, located.span, located.how) == (document, span, how)
    returned = Returned(LOCATOR)
    returned.hit(context, 0)
    unknown = [what for what, of in (("words", {"file", "unknown_file"}), ("passages", {"page_text"})) if of & {*how}]
    assert not_known(returned.counts) == (*unknown,)
    assert len(list(said_of(dict.fromkeys(how, 1), 3))) == len(how), "each is said"


def letters(text):
    return "".join(filter(str.isalnum, normalise(text).text))


@given(
    st.lists(
        st.tuples(
            st.text(max_size=9) | st.sampled_from(["ASK hr.", "25", "page.", "-"]), st.sampled_from([None, *TEXTS, "b.md"])
        ),
        max_size=6,
    )
)
def test_every_hit_is_a_span_of_its_text_and_no_document_changes(told):
    returned = Returned(LOCATOR)
    hits = [returned.hit(Context(*each), place) for place, each in enumerate(told)]
    texts = extended(DOCUMENTS, returned.outside)
    for hit, (text, _) in zip(hits, told, strict=True):
        stands = texts[hit.document].text[hit.start : hit.end]
        is_outside = hit.start > len(DOCUMENTS[hit.document].text) if hit.document else True
        assert stands == text if is_outside else letters(stands) == letters(text)
    assert {id: texts[id].text[: len(text)] for id, text in TEXTS.items()} == TEXTS
