"""The plan: what is one setup, what folds into what, names, and what a setup's id is made of."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import pytest

from ragsweep.chunkers.page import Page
from ragsweep.chunkers.paragraph import Paragraph
from ragsweep.chunkers.recursive import Recursive
from ragsweep.chunkers.word import Word
from ragsweep.embedders.minilm import MiniLM
from ragsweep.errors import InputErrors
from ragsweep.generators.extractive import Extractive
from ragsweep.rag_types.adaptive import Adaptive
from ragsweep.rag_types.simple import Simple
from ragsweep.rerankers.blend import Blend
from ragsweep.retrievers.bm25 import Bm25
from ragsweep.retrievers.dense import Dense
from ragsweep.retrievers.hybrid import Hybrid
from ragsweep.sweep.describe import plan_lines
from ragsweep.sweep.plan import make_plan
from ragsweep.types import Document, Span


@dataclass(frozen=True)
class Broken(Page):
    """A chunker that raises while it works."""

    version: ClassVar[int] = 1

    def split(self, document: Document) -> Iterator[Span]:
        raise RuntimeError(f"cannot cut {document.id}")
        yield


@dataclass(frozen=True)
class NextPage(Page):
    version: ClassVar[int] = 2


@pytest.fixture
def plan(want, store):
    """The plan of these rows."""
    return lambda *rows, **given: make_plan(want(*rows, **given), store)


@pytest.fixture
def id_of(plan, row):
    return lambda *, wanted=None, **given: plan(row(**given), **(wanted or {})).setups[0].id


# ---- what folds ----------------------------------------------------------------------------------------------------------


def test_a_chunk_size_that_the_chunker_does_not_use_folds(plan, row):
    axes = {"chunker": ["page", "word"], "chunk_size": [5, 6]}
    made = plan(
        row(asked={"chunker": "page", "chunk_size": 5}),
        row(asked={"chunker": "page", "chunk_size": 6}),
        row(asked={"chunker": "word", "chunk_size": 5}, chunker=Word(5)),
        row(asked={"chunker": "word", "chunk_size": 6}, chunker=Word(6)),
        axes=axes,
    )
    assert made.combinations == 4
    assert [setup.name for setup in made.setups] == ["page", "word + chunk_size=5", "word + chunk_size=6"]
    assert [setup.folded for setup in made.setups] == [("chunk_size=6",), (), ()]
    assert list(made.chunkings) == ["page", "word + chunk_size=5", "word + chunk_size=6"]


@pytest.mark.parametrize(
    ("first", "second", "folds"),
    [
        ({"generator": Extractive()}, {"generator": Extractive(threshold=0.9)}, True),  # search has no generator
        ({"embedder": MiniLM()}, {"embedder": MiniLM("truncate")}, True),  # keyword search has no vectors
        ({"embedder": MiniLM(), "rag_type": Simple()}, {"embedder": MiniLM("truncate"), "rag_type": Simple()}, True),
        ({"rag_type": Simple()}, {"rag_type": Simple(), "generator": Extractive(threshold=0.9)}, False),
        ({"reranker": Blend()}, {"reranker": Blend(), "embedder": MiniLM("truncate")}, False),  # blend compares vectors
        ({"retriever": Dense()}, {"retriever": Dense(), "embedder": MiniLM("truncate")}, False),
        ({"chunker": Word()}, {"chunker": Word(160, 20)}, True),  # the same numbers, written or not
        ({"chunker": Word(5)}, {"chunker": Paragraph(5)}, False),
        ({"retriever": Bm25()}, {"retriever": Bm25(k1=1.6)}, False),
        ({"retriever": Hybrid(fusion="convex")}, {"retriever": Hybrid(fusion="convex", rrf_k=9)}, True),
        ({"top_n": 5}, {"top_n": 6}, False),
        ({"dedupe": 1.0}, {"dedupe": None}, False),
    ],
)
def test_only_what_its_parts_use_makes_a_setup(plan, row, first, second, folds):
    made = plan(row(name="first", **first), row(name="second", **second))
    assert [(setup.name, setup.folded) for setup in made.setups] == (
        [("first", ("second",))] if folds else [("first", ()), ("second", ())]
    )


def test_a_folded_setup_is_named_by_its_axes_or_its_name(plan, row):
    made = plan(
        row(asked={"top_k": 30, "chunk_size": 5}),
        row(asked={"top_k": 30, "chunk_size": 6}),
        row(name="mine", asked={"chunk_size": 7}),
        axes={"chunk_size": [5, 6], "top_k": [30]},
    )
    assert made.setups[0].folded == ("chunk_size=6", "mine")


def test_the_plan_says_it(project):
    ran = project.files("plan", "chunker=word,page", "chunk_size=5,6", "chunk_overlap=0")
    assert "  4 combinations, 3 setups, 3 indexes (0 stored), 1 side by side\n" in ran.out
    assert "    stands for chunk_size=6 too: what differs changes nothing here\n" in ran.out
    assert not ran.runs


def test_many_combinations_of_one_setup_are_the_first_of_them_and_a_run_counts_the_setups(project):
    given = ["chunker=word,page", "chunk_size=range(5,13)", "chunk_overlap=0"]
    said = "stands for chunk_size=6; chunk_size=7; chunk_size=8 and 4 more too: what differs changes nothing here"
    assert f"    {said}\n" in project.files("plan", *given).out
    ran = project.files("run", *given)
    assert "  1 setup for several combinations each: what differs in them changes nothing\n" in ran.err
    assert "stands for" not in ran.err


# ---- names and shown values ----------------------------------------------------------------------------------------------


def test_options_are_the_values_that_take_effect(plan, row):
    (page, word, tokens) = plan(
        row(name="a"),
        row(name="b", chunker=Word(50), retriever=Hybrid(), rag_type=Simple(), dedupe=None),
        row(name="c", chunker=Paragraph(50, 5, "tokens"), top_n=2, dedupe=0.9),
    ).setups
    assert page.options == {
        "rag_type": "search",
        "chunker": "page",
        "retriever": "bm25",
        "reranker": "noreranker",
        "top_k": 30,
        "top_n": 5,
        "context_words": None,
        "language": "english",
        "dedupe": 1.0,
    }
    assert word.options == {
        **{"rag_type": "simple", "chunker": "word", "embedder": "minilm", "retriever": "hybrid", "reranker": "noreranker"},
        **{"generator": "extractive", "chunk_size": 50, "chunk_overlap": 6, "length": "words", "top_k": 30, "top_n": 5},
        **{"context_words": None, "language": "english", "dedupe": "off"},
    }
    assert {key: tokens.options[key] for key in ("chunk_size", "length", "top_n", "dedupe")} == {
        **{"chunk_size": 50, "length": "tokens", "top_n": 2, "dedupe": 0.9}
    }


def test_a_swept_value_is_shown_also_where_it_is_the_default_and_a_nested_one_by_its_path(plan, row):
    axes = {"dedupe": [1.0, 0.9], "retriever.bm25.k1": [1.5, 2.0], "retriever.k1": [1.5]}
    (hybrid, keyword) = plan(row(retriever=Hybrid()), row(retriever=Bm25()), axes=axes).setups
    assert (hybrid.options["dedupe"], hybrid.options["retriever.bm25.k1"]) == (1.0, 1.5)
    assert "retriever.k1" not in hybrid.options
    assert (keyword.options["retriever.k1"], "retriever.bm25.k1" in keyword.options) == (1.5, False)


def test_chunkings_of_one_option_are_told_apart_by_their_values(plan, row):
    made = plan(row(name="a", chunker=Word(5)), row(name="b", chunker=Word(6)), row(name="c", chunker=Recursive(6)))
    assert [setup.chunking for setup in made.setups] == ["word", "word + chunk_size=6 + chunk_overlap=0", "recursive"]


def test_two_setups_of_one_name_are_a_mistake(plan, row):
    axes = {"chunker": ["page", "word"]}
    with pytest.raises(InputErrors, match=r"^setups: the name 'word' is that of a setup of the grid too: write another$"):
        plan(row(), row(chunker=Word()), row(name="word", top_k=9), axes=axes)


# ---- what breaks ---------------------------------------------------------------------------------------------------------


def test_a_chunker_that_raises_costs_its_own_setups_and_keeps_their_rows(plan, row):
    good, broken, also = plan(row(name="a"), row(name="b", chunker=Broken()), row(name="c", chunker=Broken(), top_n=2)).setups
    assert good.error is None
    assert broken.error == also.error == "RuntimeError: cannot cut leave.md"


def test_nothing_to_run(plan):
    with pytest.raises(InputErrors, match="there is nothing to run"):
        plan()


# ---- the id --------------------------------------------------------------------------------------------------------------


def test_everything_that_is_computed_with_changes_the_id(id_of, project):
    full = {"rag_type": Adaptive(), "retriever": Hybrid(), "chunker": Word(5, 1), "reranker": Blend()}
    ids = [
        id_of(**{**full, **change})
        for change in (
            {},
            {"rag_type": Adaptive(max_retries=1)},
            {"rag_type": Simple()},
            {"chunker": Word(5, 2)},
            {"chunker": Word(6, 1)},
            {"embedder": MiniLM("truncate")},
            {"retriever": Hybrid(rrf_k=61)},
            {"retriever": Hybrid(bm25=Bm25(b=0.7))},
            {"retriever": Dense()},
            {"generator": Extractive(threshold=0.45)},
            {"top_k": 29},
            {"top_n": 4},
            {"dedupe": 0.99},
            {"dedupe": None},
        )
    ]
    (project.root / "docs" / "leave.md").write_text("Another text")
    ids.append(id_of(**full))
    (project.root / "docs" / "leave.md").rename(project.root / "docs" / "leaves.md")
    project.questions([{"id": "q", "question": "q", "answerable": False}])
    ids.append(id_of(**full))
    (project.root / "docs" / "more.md").write_text("More")
    ids.append(id_of(**full))
    assert len(set(ids)) == len(ids)
    assert all(len(id) == 16 and int(id, 16) >= 0 for id in ids)


def test_the_version_of_a_part_changes_the_id(id_of):
    assert id_of(chunker=Page()) != id_of(chunker=NextPage())


def test_what_is_no_part_of_the_computation_does_not_change_the_id(id_of, project, tmp_path):
    before = id_of()
    assert id_of(name="another name") == before
    assert id_of(embedder=MiniLM("truncate"), generator=Extractive(threshold=0.9)) == before
    for other in ({"n_jobs": 7}, {"sort": "ndcg"}, {"store": "elsewhere"}, {"experiment": "leave"}, {"axes": {"top_k": [30]}}):
        assert id_of(wanted=other) == before
    (project.root / "docs").rename(project.root / "moved")
    assert id_of(wanted={"files": ["moved/remote.md", "moved/leave.md"]}) == before
    text = (project.root / "moved" / "leave.md").read_text()
    (project.root / "moved" / "leave.md").write_bytes(b"\xef\xbb\xbf" + text.encode())  # a mark that is no part of the text
    assert id_of(wanted={"files": "moved"}) == before
    project.questions([{"id": "q1", "question": "How many days of leave?", "answerable": False, "answer": "25"}])
    assert id_of(wanted={"files": "moved"}) == before


def test_a_swept_list_is_named_as_it_is_written_and_stands_in_the_order_written(project):
    sweep = 'chunker.separators: [["\\n\\n", " "], [". ", ""]]'
    head = "dataset: {files: docs, questions: questions.json}\nrag_type: search\n"
    project.experiment(f"{head}sweep:\n  chunker: [recursive]\n  retriever: [bm25]\n  {sweep}\n")
    ran = project("run", "experiment=mine", "n_jobs=1")
    names = ['chunker.separators=["\\n\\n", " "]', 'chunker.separators=[". ", ""]']
    assert [line.split("  ")[0] for line in ran.out.splitlines() if line.startswith("chunker.")] == names
    assert 'floor (recursive + chunker.separators=[". ", ""])' in ran.out


# ---- what it says --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "said"), [(0, ""), (1, ", 2 of them distinct: equal ones are asked once, and count and cost as each")]
)
def test_questions_of_the_same_text_are_told_apart_from_what_is_run(project, plan, row, store, number, said):
    """The report counts all of them, and so do its calls and cost; the run asks and pays for less."""
    questions = [
        {"id": f"q{place}", "question": text, "answerable": False} for place, text in enumerate(["A?", "B?"] + ["A?"] * number)
    ]
    project.questions(questions)
    lines = list(plan_lines(plan(row()), store))
    assert lines[1].endswith(f"{2 + number} questions (0 answerable){said}")
