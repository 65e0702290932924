"""hydra/sweeper=ragsweep: composes every combination, then hands plain values and setups to the plan."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hydra.core.config_store import ConfigStore
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf, open_dict


@dataclass
class RagsweepSweeperConf:
    """The sweeper has no settings of its own."""

    _target_: str = "hydra_plugins.ragsweep.sweeper.RagsweepSweeper"


ConfigStore.instance().store(group="hydra/sweeper", name="ragsweep", node=RagsweepSweeperConf, provider="ragsweep")


class RagsweepSweeper(Sweeper):
    """The plan, and the only door to a run: one setup is a sweep of one."""

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Keep what the launcher will be made from; it is made when the run folder is known."""
        self.context, self.task, self.composed = hydra_context, task_function, config

    def sweep(self, arguments: Sequence[str]) -> Any:
        """Expand, check, plan, prepare, launch, collect. The exit code is left in the request."""
        from ragsweep.config.request import REQUEST, combine

        request = REQUEST.get()
        wanted = combine(request, self.context.config_loader, self.composed)
        with open_dict(self.composed):
            self.composed.n_jobs = wanted.settings.n_jobs  # our entry keeps it from Hydra, and the launcher reads it there
        n_jobs, mistakes = self._side_by_side()
        launcher = {} if mistakes else self._launcher()
        problems = [*wanted.problems, *mistakes]
        wanted = replace(wanted, side_by_side=n_jobs, launcher=launcher, problems=problems)
        request.exit_code = request.run(wanted, self._launch)

    def _side_by_side(self) -> tuple[int | None, list[str]]:
        """How many jobs the launcher runs at a time, None for the cores; and what is wrong with its settings."""
        name, launcher = self.composed.hydra.runtime.choices["hydra/launcher"], self.composed.hydra.launcher
        if not isinstance(launcher, DictConfig):
            return None, [f"hydra.launcher={launcher}: write hydra/launcher={launcher}"]
        n_jobs = 1 if name == "basic" else launcher.get("n_jobs")
        if n_jobs is None or n_jobs > 0:
            return n_jobs, []
        wrong = [f"hydra.launcher.n_jobs={n_jobs}: write a whole number of 1 or more"]
        return None, wrong if name == "parallel" else []  # joblib counts backwards from the cores

    def _launcher(self) -> dict[str, Any]:
        """The launcher and its settings, for another attempt at the run."""
        launcher = self.composed.hydra.launcher
        values: Any = OmegaConf.to_container(OmegaConf.masked_copy(launcher, [key for key in launcher if key != "_target_"]))
        choice = self.composed.hydra.runtime.choices["hydra/launcher"]
        return {"choice": choice, "values": {key: value for key, value in values.items() if _is_plain(value)}}

    def _launch(self, plan: str, folder: str, jobs: "list[tuple[str, str]]") -> None:
        """Run ``jobs``, (setup id, folder name) of a frozen plan, with the launcher that the config chose."""
        from hydra.core.plugins import Plugins

        with open_dict(self.composed):
            self.composed.hydra.sweep.dir = folder
        launcher = Plugins.instance().instantiate_launcher(
            hydra_context=self.context, task_function=self.task, config=self.composed
        )
        if hasattr(launcher, "launch_plan"):
            launcher.launch_plan(plan, [setup for setup, _ in jobs])
        else:
            launcher.launch([_job(plan, setup, folder, name) for setup, name in jobs], initial_job_idx=0)


def _is_plain(value: Any) -> bool:
    # What refers to another value, as n_jobs does, is composed again.
    return value is None or isinstance(value, int | float | bool) or (isinstance(value, str) and "${" not in value)


def _job(plan: str, setup: str, folder: str, name: str) -> list[str]:
    # A job is composed from its overrides alone: without the folder among them, Hydra makes the job's in the current one.
    worker = {"worker.plan": plan, "worker.setup": setup, "worker.folder": name, "worker.parent": str(os.getpid())}
    values = {**worker, "hydra.sweep.dir": folder}
    return [f"{key}={_quoted(value)}" for key, value in values.items()]


def _quoted(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
