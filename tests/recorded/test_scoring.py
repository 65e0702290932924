"""For each rule of recorded runs the smallest case in which a plausible other one crowns the wrong system; ours does not."""

from collections.abc import Sequence

import pytest

from ragsweep.contexts.reading import Context
from ragsweep.recorded import Cut, Read, scored, systems
from ragsweep.recorded.rows import Row
from ragsweep.results import Price, Result
from ragsweep.types import Document, Evidence, Place, Question

PASSAGE = "Staff have 25 days."
TEXT = f"{PASSAGE} {'Other words follow here. ' * 20}"
DOCUMENTS = {
    "a.md": Document("a.md", TEXT, ""),
    "b.md": Document("b.md", "Nothing here. Ask HR.", ""),
    "c.md": Document("c.md", "Ask HR. More text.", ""),
}
QUOTE = Evidence("quote", PASSAGE, (Place("a.md", 0, len(PASSAGE)),))
FILE = Evidence("file", "c.md", (Place("c.md", 0, 18),))
RIGHT, WRONG = Context(PASSAGE), Context("Nothing here.")


def worth(*rows: Sequence[Context] | Row | None, evidence: Evidence = QUOTE, top_n: int = 2) -> Result:
    """The result of a system that gave these contexts for question after question; None: it has no record."""
    questions = [Question(str(place), f"{place}?", (evidence,)) for place in range(len(rows))]
    written = [
        row if isinstance(row, Row) else Row("s", "", str(place), contexts=tuple(row))
        for place, row in enumerate(rows)
        if row is not None
    ]
    (system,) = systems(Read(written, ()), questions, DOCUMENTS, Cut(5, top_n))
    return scored(system, questions, {"s": Price(1.0, 2.0)}, "union", ["top_k"])[0]


def test_names_of_files_find_no_passage():
    """Read as the whole file, a name finds all that is in it: every system that keeps only names would be perfect."""
    names = worth([Context(None, "a.md")], [Context(None, "a.md")])
    passages = worth([RIGHT], [WRONG])
    assert (names.final.recall, passages.final.recall) == (0.0, 0.5)
    assert (names.words, names.context, names.counted["characters"]) == (None, None, 0)
    assert worth([Context(None, "c.md")], evidence=FILE).final.recall == 1.0


def test_whole_files_are_found_out_by_their_words_and_characters():
    whole, passage = worth([Context(TEXT)]), worth([RIGHT])
    assert whole.final.recall == passage.final.recall == 1.0
    assert (whole.words, passage.words) == (84.0, 4.0)
    assert whole.context.characters.precision < 0.05
    assert passage.context.characters.precision == 1.0


def test_the_cut_is_that_of_the_experiment_and_not_the_number_that_came_back():
    many, few = worth([WRONG, WRONG, WRONG, RIGHT]), worth([WRONG, RIGHT])
    assert (many.final.recall, few.final.recall) == (0.0, 1.0)
    assert many.retrieved.recall == 1.0
    assert worth([RIGHT]).final.precision == 0.5


def test_questions_without_a_record_or_with_an_error_count_0():
    """Over the records alone, a system that answers the easy half would be perfect."""
    half, all_of_them = worth([RIGHT], None, Row("s", "", "2", error="Timeout")), worth([RIGHT], [RIGHT], [WRONG])
    assert half.final.recall == pytest.approx(1 / 3)
    assert all_of_them.final.recall == pytest.approx(2 / 3)
    assert (half.status, half.n_ok, half.n) == ("partial", 1, 3)


def test_what_is_nowhere_keeps_its_rank_and_its_words():
    """Left out, a text that no document has would move the right one to the first rank, and cost no words."""
    made_up = worth([Context("made up by a summary"), RIGHT])
    assert (made_up.final.mrr, made_up.words, made_up.context.precision) == (0.5, 9.0, 0.5)
    of_the_file = worth([Context("made up", "c.md")], evidence=FILE)
    assert (of_the_file.final.recall, of_the_file.words) == (1.0, 2.0)


def test_a_text_costs_its_words_wherever_it_is_placed():
    """By the words of the page's border alone, the made-up text would fit into any room, and win."""
    page = Evidence("page", "p.pdf#p2", (Place("p.pdf", 13, 25),))
    texts = {"p.pdf": Document("p.pdf", "First page.\n\nSecond page.", "", pages=((0, 11), (13, 25)))}
    made_up = Context("made up " * 50, "p.pdf", (2,))
    for room, recall in ((99, 0.0), (100, 1.0)):
        question = Question("q", "?", (page,))
        (found,) = systems(Read([Row("s", "", "q", contexts=(made_up,))], []), [question], texts, Cut(5, 5, room))
        result, _ = scored(found, [question], {}, "union", ())
        assert (result.final.recall, result.words, result.context) == (recall, 100.0 if recall else 0.0, None)


def test_words_that_stand_in_several_files_are_of_one():
    """Counted for every file that has them, a phrase that is everywhere would find every label."""
    assert worth([Context("Ask HR.")], evidence=FILE).final.recall == 0.0
    assert worth([Context("Ask HR.", "c.md")], evidence=FILE).final.recall == 1.0


def test_what_nobody_recorded_is_no_zero():
    found = worth([RIGHT])
    assert (found.steps, found.reranking, found.p50_s, found.usage.tokens, found.usage.cost) == (None,) * 5
    assert (found.answered, found.grades) == (None, None)
    assert worth([], []).final.recall == 0.0  # it was recorded that nothing came back
    answers = worth(Row("s", "", "0", answer="25 days", seconds=2.0, tokens=(1_000_000, 500_000)))
    assert (answers.final, answers.retrieved, answers.words, answers.context) == (None,) * 4
    assert (answers.ledger, answers.missed, answers.looks) == ({}, (), ())
    assert (answers.grades.citation_precision, answers.grades.grounded) == (None, None)
    assert (answers.p50_s, answers.usage.tokens, answers.usage.cost) == (2.0, 1_500_000, 2.0)


def test_evidence_that_was_given_is_found_where_citations_are_not_known():
    """Not cited would blame the answers for what nobody wrote down."""
    given, cited = (
        Row("s", "", "0", answer="25", contexts=(RIGHT,)),
        Row("s", "", "0", answer="25", contexts=(RIGHT,), citations=()),
    )
    assert worth(given).ledger == {"found": 1}
    assert worth(cited).ledger == {"not_cited": 1}


def test_a_very_long_answer_is_graded_whole_and_shown_in_part():
    question = Question("0", "?", (QUOTE,), required_facts=("the end",))
    rows = [Row("s", "", "0", answer=f"{'word ' * 200_000}the end")]
    (system,) = systems(Read(rows, ()), [question], DOCUMENTS, Cut(5, 2))
    found, (score,) = scored(system, [question], {}, "union", ["top_k"])
    assert found.grades.facts == 1.0
    assert len(score.answer) == 32_003
