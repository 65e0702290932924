"""best.yaml: the best setup of a report as an experiment of its own."""

import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragsweep import files
from ragsweep.places import schema_file
from ragsweep.reporting.best import Best
from ragsweep.reporting.tables import best_of
from ragsweep.results import Report
from ragsweep.setups import GROUPS, describe
from ragsweep.sweep.frozen import FrozenPlan, Job
from ragsweep.sweep.runs import Runs
from ragsweep.sweep.yaml_text import literal, scalar, yaml_lines

BEST = "best.yaml"
SHARED = ("chunk_size", "chunk_overlap", "language")
"""Root values that parts take over: they stand at the root, where a command line can change them."""


def write_best(report: Report, runs: Runs, folder: Path) -> str | None:
    """Write the experiment whose one setup is the best of ``report`` into ``folder``, and say how to run it; None, and no file,
    when there is none or it is a system that ragsweep did not run.

    It names every setting of every part, so that it stays what it is when a default changes, and files by absolute paths.
    """
    path = folder / BEST
    best = best_of(report) if report.is_finished else None
    if best is None or best.chosen.setup.recorded:
        files.remove(path)
        if best is None or len(report.results) == 1:
            return None
        return f"the best is {best.chosen.setup.name}, a recorded system, which has no {BEST}"
    job = next(job for job in runs.jobs if job.id == best.chosen.setup.id)
    files.publish(path, ("\n".join(_lines(job, runs.plan_of(job), report, best)) + "\n").encode())
    partial = f"PARTIAL, chosen by {report.questions} of {report.whole} questions" if report.whole else ""
    how = "; ".join(filter(None, [partial, best.tie]))
    return f"the best setup as an experiment{how and f' ({how})'}: ragsweep run {shlex.quote(str(path))}"


def _lines(job: Job, plan: FrozenPlan, report: Report, best: Best) -> Iterator[str]:
    parts = {group: _fields(part) for group, part in job.setup.describe().items() if group in GROUPS and part}
    judge = plan.settings.judge if "generator" in job.setup.needs else None
    root = {"pdf": job.reading, "evidence_match": plan.settings.evidence_match, **_shared(parts), **_cut(job)}
    yield f"# yaml-language-server: $schema={schema_file()}"
    yield f"# {scalar(job.name)}: the best setup of {scalar(report.dataset)}, with all its settings: ragsweep run PATH/{BEST}"
    if best.tie:
        yield f"# Chosen {best.tie}."
    if report.whole:
        yield f"# PARTIAL: chosen by {report.questions} of {report.whole} questions"
    yield "defaults:"
    parts |= {"judge": _fields(describe(judge))} if judge else {}
    options = {**job.options, "judge": plan.settings.judge_option}
    for group in parts:
        yield f"  - override /{group}: {scalar(options[group])}"
    yield "  - _self_"
    own = {group: fields for group, fields in parts.items() if fields}
    yield from yaml_lines(literal({"dataset": plan.content["dataset"], **root, **own, "setups": [{"name": job.name}]}))
    if prices := plan.settings.plain()["prices"]:
        yield f"prices: {scalar(prices)}"  # on one line, in which a name of a model may hold anything


def _fields(part: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a part as its YAML has them."""
    named = {key.rstrip("_"): value for key, value in part.items() if key not in ("_target_", "version")}
    model = named.get("path")  # of an embedder: a name on a hub, or a place
    return {**named, "path": str(Path(model).expanduser().absolute())} if model and Path(model).expanduser().exists() else named


def _shared(parts: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The values of ``SHARED`` that all parts which have them agree on, taken out of ``parts``."""
    owners: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for fields in [*parts.values(), *(value for part in parts.values() for value in part.values() if isinstance(value, dict))]:
        for key in (key for key in SHARED if key in fields):
            owners[key].append(fields)
    agreed = {key: owners[key][0][key] for key in SHARED if len({fields[key] for fields in owners[key]}) == 1}
    for key in agreed:
        for fields in owners[key]:
            del fields[key]
    return agreed


def _cut(job: Job) -> dict[str, Any]:
    setup = job.setup
    cut = {"top_n": setup.top_n} if setup.context_words is None else {"context_words": setup.context_words}
    return {"top_k": setup.top_k, **cut, "dedupe": "off" if setup.dedupe is None else setup.dedupe}
