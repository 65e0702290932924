"""Recorded systems beside the setups of runs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ragsweep.errors import InputError
from ragsweep.recorded import Cut, System, read, systems
from ragsweep.sweep.frozen import RECORDED, FrozenPlan, Job
from ragsweep.types import Document, Question


def beside(
    plans: Sequence[FrozenPlan],
    jobs: Sequence[Job],
    questions: Sequence[Question],
    documents: Mapping[str, Document],
    recorded: Sequence[Path],
    *,
    partial: bool,
) -> list[System]:
    """The systems whose files the runs hold, and those of the files ``recorded``, whose lists are cut as the setups' are.
    ``partial`` says that ``questions`` are not all of them.

    Raises InputErrors for mistakes in the files, and InputError when the setups have no one cut.
    """
    held = [(plan.folder, plan.manifest[RECORDED]) for plan in plans if RECORDED in plan.manifest]
    by_cut = [
        (Cut(noted["top_k"], noted["top_n"], noted["context_words"]), [folder / name for name in noted["files"]])
        for folder, noted in held
    ]
    if recorded:
        by_cut.append((_cut([cut for cut, _ in by_cut], jobs, plans[0].folder, recorded[0]), list(recorded)))
    found: list[System] = []
    for cut, paths in by_cut:
        found += systems(read(paths), questions, documents, cut, partial=partial)
    return _named_apart(found, [job.name for job in jobs])


def _cut(given: Sequence[Cut], jobs: Sequence[Job], folder: Path, recorded: Path) -> Cut:
    cuts = {*given, *(Cut(job.setup.top_k, job.setup.top_n, job.setup.context_words) for job in jobs)}
    if len(cuts) > 1:
        raise InputError(
            f"{folder}: its setups have several top_k, top_n or context_words: write that of the recorded system, as in "
            f"ragsweep score {recorded} top_n=5, then collect the run with the folder of its report"
        )
    return cuts.pop()


def _named_apart(found: Sequence[System], setups: Sequence[str]) -> list[System]:
    apart: dict[str, System] = {}
    for system in found:
        name = f"{system.name} (recorded)" if system.name in setups else system.name
        if name in apart:
            raise InputError(f"several recorded systems are called {name!r}: write another name as the system of one")
        apart[name] = replace(system, name=name)
    return list(apart.values())
