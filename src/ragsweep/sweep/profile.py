"""`ragsweep profile`: where the time of a run went, by stage and by the steps of its setups."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragsweep.errors import InputError
from ragsweep.files import strict_json
from ragsweep.reporting.escape import folded, visible
from ragsweep.reporting.text import aligned
from ragsweep.sweep.clock import STAGES
from ragsweep.sweep.describe import count
from ragsweep.sweep.frozen import PLAN, FrozenPlan, thaw
from ragsweep.sweep.progress import width


@dataclass(frozen=True)
class Profile:
    """Seconds of a run, all attempts together.

    ``stages`` are wall seconds of the whole, by stage; the work of a stage is shared by all setups, but for questions.
    ``steps`` are the service seconds of each setup's questions by step, side by side with others, and ``waited`` what its
    calls to model servers waited beside them.
    """

    stages: Mapping[str, float]
    steps: Mapping[str, Mapping[str, float]]
    waited: Mapping[str, float]
    side_by_side: int


def profile(folder: Path, *, as_json: bool = False) -> int:
    """Print the profile of the run in ``folder``. InputError where it holds none, or one that has not asked a question."""
    frozen = thaw(folder / PLAN)
    found = _profile(frozen)
    if as_json:
        setups = [{"name": name, "steps": steps, "waited_s": found.waited[name]} for name, steps in found.steps.items()]
        content = {"stages": found.stages, "side_by_side": found.side_by_side, "setups": setups}
        sys.stdout.write(strict_json(content, indent=2).decode() + "\n")
    else:
        sys.stdout.write("\n".join(folded(line, width(sys.stdout)) for line in _lines(found)) + "\n")
    return 0


def _profile(frozen: FrozenPlan) -> Profile:
    stages = frozen.manifest.get("stages")
    if not frozen.jobs:
        raise InputError(f"{frozen.folder}: nothing ran here: it holds recorded runs of other systems")
    if not stages:
        raise InputError(f"{frozen.folder}: the run was cut off before it noted its times: go on with ragsweep resume")
    steps: dict[str, dict[str, float]] = {}
    waited: dict[str, float] = {}
    for job in frozen.jobs:
        taken = [step for _, record in frozen.rows(job) for step in record.steps]
        own = steps[job.name] = dict.fromkeys((step.name for step in taken), 0.0)
        for step in taken:
            own[step.name] += step.seconds
        waited[job.name] = sum(call.waited for step in taken for call in step.calls)
    return Profile(stages, steps, waited, frozen.content["side_by_side"])


def _lines(found: Profile) -> list[str]:
    whole = sum(found.stages.values())
    named = {STAGES[stage]: found.stages.get(stage, 0.0) for stage in STAGES}
    rows = [[what, f"{seconds:.2f}", f"{seconds / whole:.0%}"] for what, seconds in named.items() if seconds]
    most = max(named, key=lambda what: named[what])
    side_by_side = f"steps of the questions, {count(found.side_by_side, 'setup')} side by side"
    return [
        *_table([["stage", "wall s", "of all"], *rows, ["all", f"{whole:.2f}", "100%"]]),
        f"most of it: {most} ({named[most] / whole:.0%})",
        "",
        f"{side_by_side}; what setups share is charged to each, so they may add up to more than the wall time",
        *_table(_of_setups(found)),
    ]


def _of_setups(found: Profile) -> list[list[str]]:
    names = list(dict.fromkeys(name for steps in found.steps.values() for name in steps))
    asked = sum(sum(steps.values()) for steps in found.steps.values())
    waits = any(found.waited.values())
    rows = [["setup", *(f"{name} s" for name in names), "all steps s", "of all", *(["waited s"] if waits else [])]]
    for setup, steps in found.steps.items():
        own = sum(steps.values())
        share = f"{own / asked:.0%}" if asked else "-"
        waited = [f"{found.waited[setup]:.2f}"] if waits else []
        rows.append([visible(setup), *(f"{steps.get(name, 0.0):.2f}" for name in names), f"{own:.2f}", share, *waited])
    return rows


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = [aligned(row, widths) for row in rows]
    return [lines[0], "-" * len(lines[0]), *lines[1:]]
