"""``ragsweep resume``: a run that was cut off goes on."""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from ragsweep.cli.composing import compose_bare
from ragsweep.errors import InputError, InputErrors


def command(given: Sequence[str]) -> int:
    """Exit code of ``ragsweep resume``."""
    parser = argparse.ArgumentParser(
        prog="ragsweep resume", description="Go on with a run that was cut off: what is recorded is kept, what is left runs."
    )
    parser.add_argument("given", nargs="*", metavar="RUN_DIR", help="its folder; by default the newest that did not end")
    parser.add_argument("--json", action="store_true", help="print report.json and nothing else")
    parser.epilog = (
        "n_jobs=N, hydra/launcher=NAME and another judge (judge=openai judge.model=...) may follow; "
        "all else is that of the run."
    )
    parsed = parser.parse_intermixed_args(given)
    from ragsweep.config.edited_prices import prices_now
    from ragsweep.config.overrides import Overrides, parse
    from ragsweep.sweep.frozen import PLAN, thaw
    from ragsweep.sweep.progress import say
    from ragsweep.sweep.resume import failed_run, has_runs, resume, unfinished_run
    from ragsweep.sweep.run import resume_command

    folders = [each for each in parsed.given if "=" not in each or Path(each).is_dir()]
    if len(folders) > 1:
        raise InputError(f"{' '.join(folders)}: write one folder")
    overrides, problems = parse([each for each in parsed.given if each not in folders])
    keys = [*overrides.fixed, *overrides.axes, *(["experiment"] if overrides.experiments else [])]
    keys += [each.partition("=")[0] for each in overrides.hydra if not each.startswith(("hydra/launcher=", "hydra.launcher."))]
    judging = {key: value for key, value in overrides.fixed.items() if key.partition(".")[0] == "judge"}
    problems += [
        f"{key}: a run goes on with the values that it began with; n_jobs, hydra/launcher and judge alone can change"
        for key in keys
        if key != "n_jobs" and key not in judging
    ]
    if problems:
        raise InputErrors(problems)
    folder = Path(folders[0]).resolve() if folders else unfinished_run()
    if folder is None:
        which = "every run is finished" if has_runs() else "no run has begun here"
        say(f"{which}: there is nothing to resume")
        if failed := failed_run():
            say(f"{failed[1]} questions failed in {failed[0]}; to ask them again: {resume_command(failed[0])}")
        return 0
    frozen = thaw(folder / PLAN)
    n_jobs = overrides.fixed.get("n_jobs", frozen.settings.n_jobs)
    other = any(each.startswith("hydra/launcher=") for each in overrides.hydra)
    launcher = [] if other else _written(frozen.content["launcher"])
    again = Overrides({"n_jobs": n_jobs, **judging}, {}, (*launcher, *overrides.hydra))
    return compose_bare(
        again, lambda wanted, launch: resume(folder, wanted, launch, prices_now, judge=bool(judging), as_json=parsed.json)
    )


def _written(launcher: dict[str, object]) -> list[str]:
    """The launcher that the run began with, as overrides."""
    values = launcher["values"] if isinstance(launcher["values"], dict) else {}
    return [
        f"hydra/launcher={launcher['choice']}",
        *(f"++hydra.launcher.{key}={json.dumps(value)}" for key, value in values.items()),
    ]
