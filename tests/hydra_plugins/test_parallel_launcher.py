"""Hydra's own suites for launchers, under Hydra's own sweeper, and what they leave out: failing jobs and n_jobs.

Nothing of the suites is skipped. A sweep of one job runs in the parent; those of two and more run in workers.
"""

import os
import signal
import subprocess
import sys

import pytest
from hydra import compose, initialize_config_module
from hydra.core.plugins import Plugins
from hydra.core.utils import JobStatus
from hydra.plugins.launcher import Launcher
from hydra.test_utils.launcher_common_tests import IntegrationTestSuite, LauncherTestSuite
from hydra.version import VersionBase, __compat_version__
from omegaconf import OmegaConf, open_dict

from ragsweep.errors import WorkerError

pytestmark = pytest.mark.filterwarnings("ignore:Future Hydra versions will no longer change working directory:UserWarning")


@pytest.fixture(autouse=True)
def a_process_that_has_not_used_hydra(hydra_restore_singletons):
    # The suites count on its version_base; any composition sets another, for the whole process and all tests that come after.
    VersionBase.instance().setbase(__compat_version__)


@pytest.mark.parametrize(("launcher_name", "overrides"), [("parallel", []), ("parallel", ["hydra.launcher.n_jobs=1"])])
class TestLauncher(LauncherTestSuite):
    pass


@pytest.mark.parametrize(
    ("task_launcher_cfg", "extra_flags"),
    [({}, ["-m", "hydra/job_logging=disabled", "hydra/launcher=parallel"])],
)
class TestIntegration(IntegrationTestSuite):
    pass


@pytest.fixture
def sweep(hydra_restore_singletons, hydra_sweep_runner, tmp_path):
    """What the launcher returns for a task over four jobs, a = 0..3."""

    def run(task, *overrides):
        runner = hydra_sweep_runner(
            calling_file=None,
            calling_module="hydra.test_utils.a_module",
            task_function=task,
            config_path="configs",
            config_name="compose",
            overrides=["hydra/launcher=parallel", "+a=0,1,2,3", *overrides],
            temp_dir=tmp_path / "sweep",
        )
        with runner:
            return runner.returns[0]

    return run


def found_by_hydra():
    # Hydra's scan executes a module again that is imported already, so its class need not be the one imported above.
    return next(one for one in Plugins.instance().discover(Launcher) if one.__name__ == "ParallelLauncher")


def test_importing_it_imports_nothing_heavy():
    script = (
        "import sys, hydra_plugins.ragsweep.parallel_launcher as p; print({'joblib', 'numpy', 'pydantic'} & set(sys.modules))"
    )
    assert subprocess.check_output([sys.executable, "-c", script]) == b"set()\n"


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_all_jobs_run_and_the_first_failure_shows_the_frames_of_its_worker(sweep, tmp_path, n_jobs):
    class Lost(Exception):  # noqa: N818 - an error that cannot be rebuilt in the parent
        def __init__(self, one, two):
            super().__init__(one)

    def task(cfg):
        if cfg.a in (1, 2):
            raise Lost(f"broken by a={cfg.a}", 2)
        (tmp_path / f"ran {cfg.a}").touch()

    with pytest.raises(RuntimeError, match=r'(?s)File ".*", line \d+, in task.*broken by a=1'):
        sweep(task, f"hydra.launcher.n_jobs={n_jobs}")
    assert sorted(path.name for path in tmp_path.glob("ran *")) == ["ran 0", "ran 3"]


def test_a_dead_worker_fails_what_did_not_finish(sweep, monkeypatch):
    launched = []
    launcher = found_by_hydra()
    launch = launcher.launch
    monkeypatch.setattr(launcher, "launch", lambda *args, **named: launched.extend(launch(*args, **named)) or launched)

    def task(cfg):
        if cfg.a == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return cfg.a

    with pytest.raises(WorkerError, match="a worker died"):
        sweep(task, "hydra.launcher.n_jobs=2")
    assert [one.overrides for one in launched] == [[f"+a={number}"] for number in range(4)]
    assert launched[3].status == JobStatus.FAILED
    assert all(one.return_value == place for place, one in enumerate(launched) if one.status == JobStatus.COMPLETED)


@pytest.mark.parametrize(
    ("root", "overrides", "n_jobs"),
    [
        ({}, [], None),
        ({"n_jobs": None}, [], None),
        ({"n_jobs": 3}, [], 3),
        ({"n_jobs": 3}, ["hydra.launcher.n_jobs=1"], 1),
    ],
)
def test_n_jobs_is_the_root_value_where_there_is_one(root, overrides, n_jobs):
    with initialize_config_module("hydra.test_utils.configs", version_base="1.3"):
        config = compose("compose", ["hydra/launcher=parallel", *overrides], return_hydra_config=True)
    with open_dict(config):
        config.update(root)
    assert OmegaConf.to_container(config.hydra.launcher, resolve=True)["n_jobs"] == n_jobs
