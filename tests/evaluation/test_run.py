"""One setup over its questions."""

import logging
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from threading import Barrier, current_thread
from typing import ClassVar

import pytest

from ragsweep.evaluation.run import queries, run
from ragsweep.rag_types.adaptive import Adaptive
from ragsweep.rag_types.search import Search
from ragsweep.rag_types.simple import Simple


@dataclass(frozen=True)
class Refusing:
    """A retriever that raises for the question "bad" and remembers what it was asked."""

    asked: list = field(default_factory=list)

    def rank(self, index, query, vectors, depth, top_k):
        self.asked.append(query)
        if query == "bad":
            raise ValueError("no such thing")
        return [(0, 0.5)]


def records(setup, index, vectors, *asked):
    found = []
    run(setup, index, asked, {setup.embedder: vectors}, found.append)
    return found


def test_one_record_for_each_question_in_order(index, vectors, make_setup):
    found = records(make_setup(rag_type=Simple()), index, vectors, ("a question", 0), ("other", 0), ("other", 1))
    assert [(record.question, record.repeat, record.status) for record in found] == [
        ("a question", 0, "answered"),
        ("other", 0, "answered"),
        ("other", 1, "answered"),
    ]
    first = found[0]
    assert [hit.chunk for hit in first.retrieved] == [0, 1, 2]
    assert [hit.chunk for hit in first.final] == [2, 1]
    assert (first.answer.text, len(first.steps), first.copies, first.error) == ("said", 3, (), None)
    assert 5 <= first.seconds < 6, "the prepared vector is charged, and not used up by the warm-up"


def test_a_question_that_raises_is_a_failed_record_and_the_rest_runs(index, vectors, make_setup, caplog):
    setup = make_setup(rag_type=Search(), retriever=Refusing())
    with caplog.at_level(logging.ERROR):
        bad, good = records(setup, index, vectors, ("bad", 0), ("good", 0))
    assert (bad.status, bad.error, bad.retrieved, bad.final) == ("failed", "ValueError: no such thing", (), ())
    assert (good.status, good.error) == ("searched", None)
    [logged] = caplog.records
    assert logged.exc_info is not None and "bad" in logged.getMessage()


def test_a_failed_record_keeps_the_steps_before_the_failure(index, vectors, make_setup):
    [record] = records(make_setup(rag_type=Simple(), generator=None), index, vectors, ("q", 0))
    assert record.status == "failed"
    assert [step.name for step in record.steps] == ["retrieve", "rerank"]


def test_a_record_is_handed_on_before_the_next_question_starts(index, vectors, make_setup):
    retriever, seen = Refusing(), []
    setup = make_setup(rag_type=Search(), retriever=retriever)
    run(
        setup,
        index,
        [("one", 0), ("two", 0)],
        {setup.embedder: vectors},
        lambda record: seen.append((record.question, list(retriever.asked))),
    )
    assert seen == [("one", ["one", "one"]), ("two", ["one", "one", "two"])], "the first search is the warm-up"


def test_no_questions_no_warm_up(index, vectors, make_setup):
    retriever = Refusing()
    assert records(make_setup(rag_type=Search(), retriever=retriever), index, vectors) == []
    assert retriever.asked == []


def test_the_queries_of_all_questions_are_distinct(make_setup, scripted):
    setup = make_setup(rag_type=Adaptive(1), generator=scripted(parts=("one", "two")))
    assert queries(setup, ["q", "r", "q"]) == ["q", "one", "two", "q again 1", "r", "r again 1"]


# ---- several at a time -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Together:
    """A retriever that answers only when ``barrier`` has been reached from as many threads as it wants; its first search, the
    warm-up, is answered at once."""

    barrier: Barrier
    asked: list = field(default_factory=list)
    version: ClassVar[int] = 1
    needs: ClassVar[frozenset] = frozenset()

    def rank(self, index, query, vectors, depth, top_k):
        self.asked.append(query)
        if len(self.asked) > 1:
            self.barrier.wait(30)
        vectors.vector(query)
        return [(0, 0.5)]


def test_side_by_side_each_pays_for_itself_and_records_come_one_at_a_time(index, vectors, make_setup):
    setup, threads, found = make_setup(rag_type=Search(), retriever=Together(Barrier(3))), [], []
    keep = lambda record: (found.append(record), threads.append(current_thread()))  # noqa: E731
    run(setup, index, [("a question", repeat) for repeat in range(6)], {setup.embedder: vectors}, keep, in_flight=3)
    assert sorted(record.repeat for record in found) == [0, 1, 2, 3, 4, 5]
    assert all(5 <= record.seconds < 6 for record in found)
    assert set(threads) == {current_thread()}


def test_no_more_questions_are_taken_than_there_is_room_for(index, vectors, make_setup):
    """So that a stop is obeyed: whether to go on is asked before each question."""
    setup, taken, recorded = make_setup(rag_type=Search(), retriever=Together(Barrier(1))), [], []

    def asked():
        for repeat in range(7):
            assert repeat - len(recorded) < 2
            taken.append(repeat)
            yield "a question", repeat

    run(setup, index, asked(), {setup.embedder: vectors}, recorded.append, in_flight=2)
    assert (len(taken), len(recorded)) == (7, 7)


def test_an_interrupt_ends_the_program_from_a_question_side_by_side_too(index, vectors, make_setup):
    class Ending(Together):
        def rank(self, *given):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        setup = make_setup(rag_type=Search(), retriever=Ending(Barrier(1)))
        _ = run(setup, index, [("a", 0)], {setup.embedder: vectors}, [].append, in_flight=2)


ENDLESS = """
import signal, sys, threading
from ragsweep.evaluation.in_flight import side_by_side

def answer(question):
    print("asked", flush=True)
    threading.Event().wait()

def interrupt(*given):
    raise KeyboardInterrupt

signal.signal(signal.SIGUSR1, interrupt)
try:
    list(side_by_side(answer, ["one", "two"], 2))
except KeyboardInterrupt:
    print("reported", flush=True)
"""


def test_an_interrupt_waits_for_no_question_in_hand():
    """Neither does the end of the process: a call to a server may take minutes."""
    with subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, text=True) as child:
        assert [child.stdout.readline(), child.stdout.readline()] == ["asked\n", "asked\n"]
        child.send_signal(signal.SIGUSR1)
        assert (child.stdout.readline(), child.wait(30)) == ("reported\n", 0)
