"""Verdicts of a judge beside the records of a run: what is judged, asked once, kept as it comes, and found again."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from ragsweep import files
from ragsweep.contexts.outside import extended
from ragsweep.errors import ServerError, StoreError
from ragsweep.evaluation.in_flight import side_by_side
from ragsweep.evaluation.usage import of_step, total
from ragsweep.index import Chunks
from ragsweep.judges.judging import Case, Judge, values_of
from ragsweep.models import calls
from ragsweep.recorded import System
from ragsweep.redaction import redact
from ragsweep.results import Price, Result, Usage, Verdict
from ragsweep.setups import identity
from ragsweep.sweep.chunking import cut
from ragsweep.sweep.describe import count
from ragsweep.sweep.frozen import FrozenPlan
from ragsweep.sweep.progress import say
from ragsweep.types import Call, Document, Question, Record, Step

VERDICTS = "verdicts.jsonl"
NOT_JUDGED = "it was not judged"


def in_words(judge: Judge) -> str:
    """Who judges, by model and prompt."""
    part = cast(Any, judge)
    return f"{part.model}, prompt {files.digest(part.prompts.judge)[:8]}"


def case_of(
    question: Question, record: Record, chunks: Chunks | None, documents: Mapping[str, Document], *, grounds: bool = True
) -> Case | None:
    """What is judged of a record: an answer to an answerable question; None where there is none. ``grounds``: it is known what
    was given."""
    if record.answer is None or record.status not in ("answered", "cut") or not record.answer.text.strip():
        return None
    documents = extended(documents, record.outside)
    passages = [
        (hit.document, chunks.passage(hit.chunk, documents) if chunks else documents[hit.document].text[hit.start : hit.end])
        for hit in record.final
    ]
    return Case(question.text, record.answer.text, question.answers, question.required_facts, passages if grounds else None)


def recorded_case(question: Question, system: System) -> Case | None:
    """The same of a system that ragsweep did not run."""
    return case_of(question, system.record(question), None, system.documents, grounds=system.passages)


class Verdicts:
    """Those of one run folder for one judge, by what was judged. Equal cases, of other setups and repeats too, have one."""

    def __init__(self, folder: Path, judge: Judge) -> None:
        self._folder, self._judge = folder, files.digest(identity(judge))
        self._rows: dict[str, dict[str, Any]] = {}
        self._used: set[str] = set()
        self.unscored: Counter[str | None] = Counter()
        """How many answers ``of`` found no verdict on, by what is wrong with the reply; None where there is none."""
        for path in files.claimed(folder / VERDICTS):
            for line, row in enumerate(files.read_lines(path), 1):
                self._learn(row, f"{path}:{line}")

    def of(self, question: Question, case: Case | None, *, grounds: bool = True) -> Verdict | None:
        """The verdict on an answer, or on there being none: a failure, a refusal or an empty answer is worth as much as its
        words. None for an unanswerable question, and where nothing can be asked, without right answers and without ``grounds``.
        """
        right = bool(question.answers or question.required_facts)
        if not question.answerable or not (right or grounds):
            return None
        if case is None:
            return Verdict(correct=False if right else None, grounded=False if grounds else None, answered=False)
        key = self._key(case)
        row = self._rows.get(key)
        if row is None:
            self.unscored[None] += 1
            return Verdict(unscored=NOT_JUDGED)
        self._used.add(key)
        verdict = Verdict(**row["verdict"])
        if verdict.unscored:
            self.unscored[None if row["failed"] else verdict.unscored] += 1
        return verdict

    def knows(self, case: Case) -> bool:
        """Whether the judge was asked about it."""
        return self._key(case) in self._rows

    def _learn(self, row: dict[str, Any], where: str) -> None:
        """A verdict of this judge; one that failed counts while there is no other."""
        try:
            _ = Verdict(**row["verdict"]), tuple(Call(**call) for call in row["calls"])
            if row["judge"] == self._judge and not (row["failed"] and row["key"] in self._rows):
                self._rows[row["key"]] = row
        except (KeyError, TypeError) as error:
            raise StoreError(
                f"{where}: it is no verdict of ragsweep: {error}: take the line out, and resume the run"
            ) from error

    def left(self, cases: Iterable[Case], *, again: bool) -> dict[str, Case]:
        """The distinct cases without a verdict, by their keys; ``again``: those too for which the server failed."""
        keyed = {self._key(case): case for case in cases if case.asked}
        return {key: case for key, case in keyed.items() if key not in self._rows or (again and self._rows[key]["failed"])}

    def usage(self, prices: Mapping[str, Price]) -> Usage:
        """What the verdicts took that ``of`` found, each once."""
        made = (self._rows[key]["calls"] for key in sorted(self._used))
        return total(of_step(Step("judge", 0.0, {}, {}, tuple(Call(**call) for call in each)), prices) for each in made)

    def ask(self, judge: Judge, left: Mapping[str, Case], is_stopped: Callable[[], bool]) -> int:
        """Have these judged, as many at a time as the server takes, each kept as it comes; how many were. Ends where the server
        is not there, or refuses the key or the model: the rest is then not judged."""
        ended: list[str] = []

        def judged(one: tuple[str, Case]) -> dict[str, Any]:
            key, case = one
            failed = False
            with calls.recorded() as made:
                try:
                    verdict = judge.judge(case)
                except ServerError as error:
                    failed, verdict = True, Verdict(unscored=redact(str(error)))
                    if error.is_lasting:
                        ended.append(str(error))
            return {
                "key": key,
                "judge": self._judge,
                "failed": failed,
                "verdict": asdict(verdict),
                "calls": [asdict(call) for call in made],
            }

        def asked() -> Iterator[tuple[str, Case]]:
            for one in left.items():
                if is_stopped() or ended:
                    return
                yield one

        path = files.claim(self._folder / VERDICTS) if left else None
        done = 0
        for row in side_by_side(judged, asked(), cast(Any, judge).limits.max_concurrent):
            if path is not None:
                files.append_line(path, row)
            self._rows[row["key"]] = row
            done += 1
        if ended:
            say(f"warning: the judge cannot be asked, so {len(left) - done:,} answers are not judged: {redact(ended[0])}")
        return done

    def _key(self, case: Case) -> str:
        return files.digest({"judge": self._judge, "case": values_of(case)})


def cost_line(judge: Judge, usage: Usage) -> str:
    """What the report says of what judging took, beside the setups."""
    tokens = (
        "tokens not told" if usage.input_tokens is None else f"{usage.input_tokens:,} tokens in and {usage.output_tokens:,} out"
    )
    cost = f", cost {usage.cost:.4f}" if usage.cost is not None and usage.calls else ""
    failed = f", {sum(usage.failures.values()):,} failed" if usage.failures else ""
    return f"judge {in_words(judge)}: {usage.calls:,} calls{failed}, {tokens}{cost}"


def judge_run(frozen: FrozenPlan, is_stopped: Callable[[], bool], systems: Sequence[System] = ()) -> None:
    """Ask the judge of a run about every answer, those of ``systems`` too, that has no verdict of its yet."""
    judge = frozen.settings.judge
    if judge is None:
        return
    verdicts = Verdicts(frozen.folder, judge)
    left = verdicts.left(_cases(frozen, systems), again=_again(frozen))
    if left and not is_stopped():
        say(f"judging {count(len(left), 'answer')} by {in_words(judge)}")
        done = verdicts.ask(judge, left, is_stopped)
        if done < len(left) and is_stopped():
            say(f"{count(len(left) - done, 'answer')} not judged")


def left_to_judge(frozen: FrozenPlan, systems: Sequence[System] = ()) -> int:
    """How many distinct answers of a run its judge was not asked about, or has to be asked again."""
    judge = frozen.settings.judge
    return len(Verdicts(frozen.folder, judge).left(_cases(frozen, systems), again=_again(frozen))) if judge else 0


def _again(frozen: FrozenPlan) -> bool:
    return frozen.settings.retry_failed and frozen.content["attempt"] > 1


def _cases(frozen: FrozenPlan, systems: Sequence[System]) -> Iterator[Case]:
    """All that is to be judged of a run."""
    asked = [question for question in next(iter(frozen.corpora.values())).questions if question.answerable]
    yield from (case for system in systems for question in asked if (case := recorded_case(question, system)))
    cuts: dict[str, Chunks] = {}
    for job in frozen.jobs:
        if job.error is not None or "generator" not in job.setup.needs:
            continue
        corpus, documents = frozen.corpora[job.reading], frozen.documents[job.reading]
        chunker = job.setup.chunker
        if chunker is not None and job.chunking not in cuts:
            cuts[job.chunking] = cut(frozen.store, job.reading, corpus.keys, documents, chunker).chunks
        questions = {question.text: question for question in corpus.questions if question.answerable}
        for (text, _), record in frozen.records(job).items():
            case = case_of(questions[text], record, cuts.get(job.chunking), documents) if text in questions else None
            if case is not None:
                yield case


class Judging:
    """The verdicts of runs, for their report."""

    def __init__(self, plans: Sequence[FrozenPlan]) -> None:
        judges = {plan.folder: plan.settings.judge for plan in plans}
        self._judges = {folder: judge for folder, judge in judges.items() if judge is not None}
        self._verdicts = {folder: Verdicts(folder, judge) for folder, judge in self._judges.items()}

    @property
    def by(self) -> str | None:
        """Who judged, in words; None for nobody."""
        return "; ".join(dict.fromkeys(map(in_words, self._judges.values()))) or None

    def of(
        self, folder: Path, documents: Mapping[str, Document], chunks: Chunks | None
    ) -> Callable[[Question, Record], Verdict | None] | None:
        """The verdict on a record of the run in ``folder``, whose hits are of these chunks; None where nobody judged."""
        verdicts = self._verdicts.get(folder)
        if verdicts is None:
            return None
        return lambda question, record: verdicts.of(question, case_of(question, record, chunks, documents))

    def of_recorded(self, system: System, questions: Sequence[Question]) -> Callable[[Question], Verdict | None] | None:
        """The verdict on an answer of a system, by the run that knows most of its answers; None where no judge was asked about
        them."""
        cases = [case for question in questions if question.answerable and (case := recorded_case(question, system))]
        known = {folder: sum(map(verdicts.knows, cases)) for folder, verdicts in self._verdicts.items()}
        folder = max(known, key=lambda each: known[each], default=None)
        if folder is None or not system.answers or (cases and not known[folder]):
            return None
        verdicts = self._verdicts[folder]
        return lambda question: verdicts.of(question, recorded_case(question, system), grounds=system.passages)

    def lines(self, plans: Sequence[FrozenPlan]) -> list[str]:
        """What judging took, a line for each run, by its prices."""
        prices = {plan.folder: plan.settings.prices for plan in plans}
        return [cost_line(judge, self._verdicts[folder].usage(prices[folder])) for folder, judge in self._judges.items()]

    def notices(self, results: Sequence[Result]) -> list[str]:
        """That some answers are in no share, and that several judges are no one measure."""
        unscored = sum((verdicts.unscored for verdicts in self._verdicts.values()), Counter[str | None]())
        answers = f"{count(unscored.total(), 'answer')} of all setups {'is' if unscored.total() == 1 else 'are'}"
        none = f"no reply for {unscored[None]}, which ragsweep resume asks for" if unscored[None] else ""
        read = [f"{why} ({number}; try another model or prompt)" for why, number in unscored.most_common() if why]
        said = [f"judge: {answers} unscored and in no share: {'; '.join(filter(None, [none, *read]))}"] if unscored else []
        unjudged = [each.setup.name for each in results if each.setup.recorded and each.setup.generates and not each.judged]
        if self._judges and unjudged:
            said.append(
                f"judge: {', '.join(unjudged)}: not judged, as collect asks nobody: write ragsweep score with its file and "
                "judge=..., then collect the run with the folder of that report"
            )
        several = self.by and "; " in self.by
        return [*said, *(["judge: the runs have different judges: do not compare what they say"] if several else [])]
