"""What the terminal text and report.md both say: a table of the end-to-end setups and one of the search setups."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragsweep.reporting.best import Best, best, best_line, by_rank
from ragsweep.reporting.columns import IN_SECONDS, SORTS, Measure, spread
from ragsweep.reporting.escape import shortened, visible
from ragsweep.reporting.looks import ERROR_LENGTH, look_lines
from ragsweep.reporting.naming import cut_of, embedder_of, in_order, option
from ragsweep.reporting.stage_tables import StageTable, shares, stage_tables
from ragsweep.reporting.stages import ends_in_words, ledger
from ragsweep.results import Bounds, Description, Report, Result

TIMES = ("p50", "p95")
"""The run columns of a table: the last ones, found by how their headers begin."""


@dataclass(frozen=True)
class Column:
    """A header, the width of an ordinary cell, and what a cell shows."""

    header: str
    width: int
    cell: Callable[[Result], str]


@dataclass(frozen=True)
class Table:
    """One table with the lines around it, as plain text that is neither escaped nor aligned.

    ``below`` are the lines under it: the best setup, why setups failed, how many chunks were too long for the embedder.
    ``looks`` are the questions to look at and where their evidence and that of the others ended; ``stages`` are in files only.
    """

    title: str
    fixed: str
    columns: Sequence[Column]
    results: Sequence[Result]
    bounds: Sequence[Bounds]
    below: Sequence[str]
    looks: Sequence[str]
    stages: Sequence[StageTable] = ()

    def cells(self, result: Result) -> list[str]:
        """A row: the name, then a cell for each further column; a setup without numbers, or with questions left, says so."""
        left = " (unfinished)" if result.status == "unfinished" else ""
        return [visible(result.setup.name) + left, *(column.cell(result) for column in self.columns[1:])]

    def bound_cells(self, results: Sequence[Result]) -> list[tuple[str, str]]:
        """(name, Recall) of the floors, then of the ceilings, of the chunkings in ``results``."""
        shown = {(result.setup.chunking, cut_of(result.setup)) for result in results}
        bounds = [bound for bound in self.bounds if (bound.chunking, cut_of(bound)) in shown]
        several = len({cut_of(bound) for bound in bounds}) > 1
        names = [visible(f"{bound.chunking} + {cut_of(bound)}" if several else bound.chunking) for bound in bounds]
        floors = [(f"floor ({name})", f"{bound.floor:.3f}") for name, bound in zip(names, bounds, strict=True)]
        return floors + [
            (f"ceiling ({name})", f"{'' if bound.exact else '<='}{bound.ceiling:.3f}")
            for name, bound in zip(names, bounds, strict=True)
        ]


def ordered(report: Report) -> list[Result]:
    """All results in table order, or best first by ``report.sort``."""
    results = in_order(report.results, report.axes)
    return by_rank(results, report.sort) if report.sort else results


def best_of(report: Report) -> Best | None:
    """What the Best line of the first table names, the end-to-end one if there is; a lone setup is the best."""
    results = ordered(report)
    end_to_end = [result for result in results if result.setup.generates]
    return best(end_to_end or results, report.sort, _end_to_end_measures(results) if end_to_end else SORTS)


def _end_to_end_measures(results: Sequence[Result]) -> Mapping[str, Measure]:
    """In milliseconds when all setups of a report are under a second."""
    return SORTS if all(result.p95_s is None or result.p95_s < 1 for result in results) else IN_SECONDS


def tables(report: Report) -> list[Table]:
    """The end-to-end table and the retrieval table, as far as there are such setups."""
    results = ordered(report)
    end_to_end = [result for result in results if result.setup.generates]
    search = [result for result in results if not result.setup.generates]
    measures = _end_to_end_measures(results)
    found = []
    if end_to_end:
        columns = _end_to_end_columns(report, end_to_end, measures)
        found.append(_table(report, end_to_end, _end_to_end_title(report), columns, measures))
    if search:
        cuts = {cut_of(result.setup) for result in search}
        cut = cuts.pop() if len(cuts) == 1 else ""
        found.append(_table(report, search, _retrieval_title(report, cut), _retrieval_columns(search, cut), SORTS))
    return found


def _table(
    report: Report, results: Sequence[Result], title: str, columns: Sequence[Column], measures: Mapping[str, Measure]
) -> Table:
    used, anywhere = ({key for each in some for key in each.setup.options} for some in (results, report.results))
    fixed = {key: value for key, value in report.fixed.items() if key in used or key not in anywhere}
    fixed |= {"evidence_match": report.rule} if report.rule else {}
    chosen = best_line(results, report.sort, report.answerable, report.whole, measures) if report.is_finished else None
    mark = "run: " if report.sort in TIMES else ""
    failures = [result for result in results if result.status == "failed"]
    return Table(
        title=f"PARTIAL {title}" if report.is_partial else title,
        fixed="fixed: " + " ".join(visible(option(key, value)) for key, value in fixed.items()) if fixed else "",
        columns=columns,
        results=results,
        bounds=report.bounds,
        below=[
            *([mark + chosen] if chosen else []),
            *(_named(result, report.fixed) for result in results if result.setup.beside and len(report.results) > 1),
            *(_not_comparable(result) for result in results if "places" in result.setup.unknown),
            *(_unknown(result) for result in results if result.setup.unknown),
            *(f"failed: {visible(result.setup.name)}: {_reason(result)}" for result in failures),
            *(_spread(result) for result in results if result.repeats and result.n_ok),
            *_counted_chunks(results, "over the embedder's window", lambda setup: setup.over_window),
            *_counted_chunks(results, "with a vector of zeros, which finds nothing", lambda setup: setup.zero_vectors),
        ],
        looks=_looks(results),
        stages=stage_tables(report, results),
    )


def _spread(result: Result) -> str:
    """From the least to the most that a repeat of all questions gave, of the scores that differ."""
    several = f"{visible(result.setup.name)}, {len(result.repeats)} repeats: "
    shown = [
        f"{SORTS[key].label} {SORTS[key].show(least)} to {SORTS[key].show(most)}"
        for key, (least, most) in spread(result).items()
        if SORTS[key].show(least) != SORTS[key].show(most)
    ]
    return several + (", ".join(shown) or "each gave the same scores")


def _looks(results: Sequence[Result]) -> list[str]:
    """The questions to look at, and below them where the required evidence of all questions ended."""
    lines = look_lines([result for result in results if result.status != "failed"])
    words = ends_in_words(results)
    ended = [f"{words[end]} {share}" for end, share in shares(ledger(results), shown=True).items()]
    whose = "evidence of all setups" if len(results) > 1 else "evidence"
    return [*lines, f"{whose}: {', '.join(ended)}"] if lines and ended else lines


def _named(result: Result, fixed: Mapping[str, Any]) -> str:
    """What a setup with a name of its own consists of, beside the fixed values."""
    own = [option(key, value) for key, value in result.setup.options.items() if key not in fixed]
    return visible(f"{result.setup.name}: {' '.join(own)}")


def _not_comparable(result: Result) -> str:
    name = visible(result.setup.name)
    return f"{name}: most of its contexts are in no document as it told them: do not compare its scores with those of others"


def _unknown(result: Result) -> str:
    recorded = "recorded, not run here; " if result.setup.recorded else ""
    return visible(f"{result.setup.name}: {recorded}not known: {', '.join(result.setup.unknown)}")


def _reason(result: Result) -> str:
    return shortened(visible(result.error or "no reason given"), ERROR_LENGTH)


def _counted(report: Report) -> tuple[str, str]:
    of = f"{report.questions} of {report.whole}" if report.whole else f"{report.questions}"
    questions = f"{of} question{'' if (report.whole or report.questions) == 1 else 's'}"
    repeats = max((len(result.repeats) for result in report.results), default=0)
    questions += f" asked {repeats} times each" if repeats else ""
    return questions, "" if report.answerable == report.questions else f"{report.answerable} answerable"


def _end_to_end_title(report: Report) -> str:
    questions, answerable = _counted(report)
    scored = "evidence scored on the chunks given to the generator"
    return f"End-to-end report: {questions} ({'; '.join(filter(None, (answerable, scored)))})"


def _retrieval_title(report: Report, cut: str) -> str:
    questions, answerable = _counted(report)
    return f"Retrieval report: {questions}{f' ({answerable})' if answerable else ''}{cut and f', {cut}'}"


def _end_to_end_columns(report: Report, results: Sequence[Result], measures: Mapping[str, Measure]) -> list[Column]:
    refused = [Column("Refused", 7, _refused)] if report.answerable < report.questions else []
    return [
        Column("setup", 22, lambda result: result.setup.name),
        Column("Recall", 6, _recall),
        Column("MRR", 5, SORTS["mrr"].show),
        Column("nDCG", 5, SORTS["ndcg"].show),
        Column("Hit", 5, SORTS["hit"].show),
        Column("Answered", 8, SORTS["answered"].show),
        *refused,
        Column("Steps", 5, SORTS["steps"].show),
        *_server_columns(results),
        *_last_columns(results, measures),
    ]


def _retrieval_columns(results: Sequence[Result], cut: str) -> list[Column]:
    # No number of hits stands in a header where a budget of words decides it.
    at = {"top_n": f"@{cut.partition('=')[2]}", "context_words": ""}.get(cut.partition("=")[0], "@k")
    return [
        Column("setup", 22, lambda result: result.setup.name),
        Column(f"Recall{at}", 6, _recall),
        *(Column(f"{SORTS[key].label}{at}", 5, SORTS[key].show) for key in ("mrr", "ndcg", "hit")),
        *_server_columns(results),
        *_last_columns(results, SORTS),
    ]


def _server_columns(results: Sequence[Result]) -> list[Column]:
    """What model servers were asked, where one was; the cost where there is one to show."""
    called = any(result.usage.calls for result in results)
    counted = called or any(result.usage.tokens for result in results)
    shown = {"calls": called, "tokens": counted, "cost": any(result.usage.cost for result in results)}
    return [Column(SORTS[key].label, 6, SORTS[key].show) for key, is_shown in shown.items() if is_shown]


def _last_columns(results: Sequence[Result], measures: Mapping[str, Measure]) -> list[Column]:
    unit = measures["p50"].unit
    return [
        Column("Words", 5, SORTS["words"].show),
        Column("n", 4, lambda result: f"{result.n_ok}/{result.n}"),
        Column(f"p50{unit}{_side_by_side(results)}", 6, measures["p50"].cell),
        Column(f"p95{unit}", 6, measures["p95"].cell),
    ]


def _side_by_side(results: Sequence[Result]) -> str:
    """How many setups and questions ran at a time, which slows each: one number, or the least and the most of several runs."""
    alone = [result.run.get("timing") == "alone" for result in results]
    if all(alone):
        return " (alone)"
    said = ["some alone"] if any(alone) else []
    for column, what in (("jobs", "side by side"), ("in_flight", "in flight")):
        numbers = [result.run.get(column, 1) for result in results if not result.setup.recorded] or [1]
        least, most = min(numbers), max(numbers)
        if most > 1:
            said.append(f"{most} {what}" if least == most else f"{least} to {most} {what}")
    return f" ({', '.join(said)})" if said else ""


def _recall(result: Result) -> str:
    return SORTS["recall"].show(result) if result.n_ok or result.status == "unfinished" else "failed"


def _refused(result: Result) -> str:
    return "-" if result.refused is None else f"{result.refused}/{result.unanswerable}"


def _counted_chunks(results: Sequence[Result], what: str, number: Callable[[Description], int | None]) -> list[str]:
    """A line for each chunking with such chunks; the embedder is named where there are several."""
    embedders = {embedder_of(result.setup) for result in results} - {()}
    counted = {
        (result.setup.chunking, *(embedder_of(result.setup) if len(embedders) > 1 else ())): result.setup
        for result in results
        if number(result.setup)
    }
    return [
        f"{what}: {number(setup)} of {setup.chunks} chunks ({visible(', '.join(names))})" for names, setup in counted.items()
    ]
