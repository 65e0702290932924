"""``hydra/launcher=parallel``: the jobs of a sweep in several processes of this machine."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from traceback import format_exception
from typing import Any

from hydra.core.config_store import ConfigStore
from hydra.core.hydra_config import HydraConfig
from hydra.core.singleton import Singleton
from hydra.core.utils import JobReturn, JobStatus, configure_log, filter_overrides, run_job, setup_globals
from hydra.plugins.launcher import Launcher
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, open_dict

from ragsweep.redaction import redact

_log = logging.getLogger(__name__)


@dataclass
class ParallelLauncherConf:
    """``n_jobs`` is the root value of that name where the config has one; null means the cores this process may use."""

    _target_: str = "hydra_plugins.ragsweep.parallel_launcher.ParallelLauncher"
    n_jobs: int | None = "${oc.select:n_jobs}"  # type: ignore[assignment]


ConfigStore.instance().store(group="hydra/launcher", name="parallel", node=ParallelLauncherConf, provider="ragsweep")


class ParallelLauncher(Launcher):
    """Runs any Hydra app's jobs by ``launch``, and the frozen setups of a ragsweep plan by ``launch_plan``."""

    def __init__(self, n_jobs: int | None) -> None:
        self.n_jobs = n_jobs

    def setup(self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig) -> None:
        """Keep what Hydra hands over; called once, before any launch."""
        self.hydra_context = hydra_context
        self.task_function = task_function
        self.config = config

    def launch(self, job_overrides: Sequence[Sequence[str]], initial_job_idx: int) -> Sequence[JobReturn]:
        """Run every job to its end, also when others fail, and return them in the order given."""
        from ragsweep.sweep.pool import TasksLostError, run_tasks, workers

        setup_globals()
        configure_log(self.config.hydra.hydra_logging, self.config.hydra.verbose)
        Path(self.config.hydra.sweep.dir).mkdir(parents=True, exist_ok=True)
        n_jobs = workers(self.n_jobs)
        _log.info("Launching %d jobs, up to %d side by side", len(job_overrides), n_jobs)
        shared = (self.hydra_context, self.task_function, self.config, Singleton.get_state())
        jobs = [(number, list(overrides), *shared) for number, overrides in enumerate(job_overrides, initial_job_idx)]
        returns = {}
        try:
            for (number, *_), job_return in run_tasks(_run_job, jobs, n_jobs):
                returns[number] = job_return
        except TasksLostError as error:
            for number, overrides, *_ in error.unfinished:
                returns[number] = JobReturn(overrides=overrides, status=JobStatus.FAILED, _return_value=error)
        configure_log(self.config.hydra.hydra_logging, self.config.hydra.verbose)
        return [returns[number] for number in sorted(returns)]

    def launch_plan(self, plan: str, setup_ids: Sequence[str]) -> None:
        """Run the setups of a plan file. What fails is logged and the rest runs: the truth is on disk."""
        from ragsweep.forks import answer
        from ragsweep.sweep.pool import workers

        answer(plan, setup_ids, workers(self.n_jobs))


def _run_job(
    number: int,
    overrides: Sequence[str],
    hydra_context: HydraContext,
    task_function: TaskFunction,
    config: DictConfig,
    singletons: dict[Any, Any],
) -> JobReturn:
    setup_globals()
    Singleton.set_state(singletons)
    _log.info("\t#%d : %s", number, " ".join(filter_overrides(overrides)))
    job = hydra_context.config_loader.load_sweep_config(config, list(overrides))
    with open_dict(job):
        job.hydra.job.id = f"{job.hydra.job.name}_{number}"
        job.hydra.job.num = number
    HydraConfig.instance().set_config(job)
    done = run_job(
        task_function=task_function,
        config=job,
        job_dir_key="hydra.sweep.dir",
        job_subdir_key="hydra.sweep.subdir",
        hydra_context=hydra_context,
    )
    if done.status == JobStatus.FAILED:
        done.return_value = _portable(done._return_value)
    return done


def _portable(error: BaseException) -> RuntimeError:
    """The error as text with the frames of this process: the object itself may not survive the way to the parent."""
    return RuntimeError(redact("".join(format_exception(error))))
