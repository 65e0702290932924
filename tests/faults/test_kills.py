"""Processes that are killed: no acknowledged record is lost, no worker lives on, and a resume reports what an undisturbed run
does. RAGSWEEP_KILLS=100 makes more of the random kills, RAGSWEEP_PAIRS=20 more pairs of sweeps."""

import os
import random
import signal
import time
from pathlib import Path

KILLS = int(os.environ.get("RAGSWEEP_KILLS", "3"))
PAIRS = int(os.environ.get("RAGSWEEP_PAIRS", "1"))


def files_of(root: Path) -> dict[Path, tuple[int, int]]:
    """Size and time of each file below ``outputs``."""
    return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in root.glob("outputs/**/*") if path.is_file()}


def test_a_kill_at_any_time_then_a_resume_reports_what_an_undisturbed_run_does(sweep):
    """By turns the parent or a worker, after a random one of the records; at times under a launcher of Hydra's."""
    assert sweep.run("n_jobs=1").code == 0
    (undisturbed,) = sweep.folders
    everything = {record["key"] for record in sweep.records(undisturbed)}
    lost, slowest, kept = 0, 0.0, 0
    for seed in range(KILLS):
        drawn = random.Random(seed)
        most = drawn.randrange(1, len(everything) - 1)
        (sweep.root / "log").unlink()
        launcher = f"hydra/launcher={'joblib' if seed % 6 == 2 else 'parallel'}"
        running = sweep.begin(launcher, FAKES_MOST=str(most))  # what comes then is at work when the signal does
        sweep.within(30, lambda made=2 + seed: len(sweep.folders) == made)
        acknowledged = sweep.recorded(most)
        folder = sweep.folders[-1]
        if seed % 2:
            workers = [pid for pid, command in sweep.processes(running).items() if "ragsweep.forks" in command]
            os.kill(drawn.choice(workers or [running.pid]), signal.SIGKILL)  # or what forks them
            (sweep.root / "go").touch()
            whole = sweep.done(running).code == 0  # what was at work runs again
            (sweep.root / "go").unlink()
        else:
            whole = False
            running.kill()
            killed = time.monotonic()
            sweep.within(2, lambda gone=running: not sweep.processes(gone))
            slowest = max(slowest, time.monotonic() - killed)
            before = files_of(sweep.root)
            assert sweep.done(running).code == -signal.SIGKILL
            assert files_of(sweep.root) == before
        left = sweep.records(folder)
        lost += sum(record not in left for record in acknowledged)
        kept += len(left)
        ended = sweep.resume() if not whole else None
        assert ended is None or ended.code == 0, ended.err
        assert {record["key"] for record in sweep.records(folder)} == everything
        assert sweep.differences(undisturbed, folder) == []
    print(f"kills {KILLS}, records kept {kept}, lost {lost}, equal reports {KILLS}, last orphan gone after {slowest:.2f} s")
    assert lost == 0


def test_a_worker_that_dies_costs_its_setup_alone(sweep):
    names = ",".join("abcdefgh")
    done = sweep.run("chunk_size=6", f"generator.name={names}", RAGSWEEP_KILL_AT="after-record:3@generator.name=c")
    assert done.code == 1
    rows = sweep.rows(sweep.folders[-1])
    assert {name: (row["status"], row["n_ok"]) for name, row in rows.items()} == {
        f"generator.name={name}": ("failed", "6") if name == "c" else ("ok", "8") for name in "abcdefgh"
    }
    assert rows["generator.name=c"]["error"] == "worker died (signal 9)"
    assert "failed: generator.name=c: worker died (signal 9)" in done.out
    again = sweep.resume(str(sweep.folders[-1]), "n_jobs=1")
    assert (again.code, again.counts) == (0, {"reused": 62, "re-scored": 0, "run": 2, "dropped": 0})
    assert {row["n_ok"] for row in sweep.rows(sweep.folders[-1]).values()} == {"8"}


def test_a_single_setup_with_a_part_of_another_package_runs_apart(sweep):
    done = sweep.run("chunk_size=6", "generator.name=c", RAGSWEEP_KILL_AT="after-record:3")
    (row,) = sweep.rows(sweep.folders[-1]).values()
    assert (done.code, row["n_ok"], row["error"]) == (1, "6", "worker died (signal 9)"), done.err


def test_a_single_setup_that_ended_its_run_does_not_end_the_resume(sweep):
    search = ("run", "--files", "docs", "--questions", "questions.json", "retriever=bm25", "rag_type=search", "n_jobs=2")
    assert sweep.done(sweep.start(*search, RAGSWEEP_KILL_AT="after-record:2")).code == -signal.SIGKILL
    resumed = sweep.resume(RAGSWEEP_KILL_AT="after-record:2")
    (row,) = sweep.rows(sweep.folders[-1]).values()
    assert (resumed.code, row["n_ok"], row["error"]) == (1, "6", "worker died (signal 9)"), resumed.err


def test_a_setup_without_memory_says_how_much_it_held(sweep):
    done = sweep.run("chunk_size=6", "generator.name=a", "generator.memory_mb=400,null")
    assert done.code == 1
    rows = sweep.rows(sweep.folders[-1])
    statuses = sorted((row["status"], row["n_ok"]) for row in rows.values())
    assert statuses == [("failed", "0"), ("ok", "8")]
    (error,) = {row["error"] for row in rows.values()} - {""}
    assert error.startswith("MemoryError: its process held ")


def test_a_build_that_was_killed_holds_nobody_up(sweep):
    """No lock outlives its process: the next run builds at once."""
    dense = ("retriever=dense", "embedder=counting", "generator.name=a", "chunk_size=6")
    killed = sweep.run(*dense, RAGSWEEP_KILL_AT="before-publish:9")
    assert killed.code == -signal.SIGKILL
    done = sweep.run(*dense)
    assert done.code == 0
    assert "waiting" not in done.err


def test_a_worker_killed_in_preparing_costs_its_work_alone(sweep):
    running = sweep.begin("retriever=dense", "embedder=counting", "embedder.seconds=0.05", "generator.name=a")
    sweep.within(30, sweep.calls)
    workers = [pid for pid, command in sweep.processes(running).items() if "--process-name Loky" in command]
    os.kill(workers[0], signal.SIGKILL)
    done = sweep.done(running)
    assert done.code == 0, done.err
    assert "what it left runs again" in done.err


def test_two_sweeps_on_one_empty_store_embed_each_text_once(sweep):
    dense = ("retriever=dense", "embedder=counting", "embedder.seconds=0.01")
    for pair in range(PAIRS):
        (sweep.root / "log").unlink(missing_ok=True)
        both = [sweep.begin(*dense, f"store.dir=store{pair}") for _ in range(2)]
        ended = [sweep.done(each) for each in both]
        assert [each.code for each in ended] == [0, 0], ended[0].err + ended[1].err
        embedded = {call: times for call, times in sweep.calls().items() if call.startswith("embedded")}
        assert set(embedded.values()) == {1}
        assert sweep.differences(*sweep.folders[-2:]) == []
        assert "waiting for process " in ended[0].err + ended[1].err
    print(f"pairs {PAIRS}, texts embedded twice 0, equal reports {PAIRS}")


def test_ctrl_c_lets_the_questions_in_hand_end_and_reports_what_there_is(sweep):
    running = sweep.begin(FAKES_MOST="5")
    sweep.recorded(5)
    os.killpg(running.pid, signal.SIGINT)
    sweep.within(5, lambda: (sweep.folders[-1] / "stop").exists())
    (sweep.root / "go").touch()
    done = sweep.done(running)
    assert done.code == 130, done.err
    folder = sweep.folders[-1]
    records = sweep.records(folder)
    assert 5 <= len(records) < 32
    assert {record["status"] for record in records} == {"answered"}
    assert sum(times for call, times in sweep.calls().items() if call.startswith("asked")) == len(records)
    assert f"ragsweep resume {folder.relative_to(sweep.root)}" in done.err
    assert "Traceback" not in done.err
    assert "unfinished" in {row["status"] for row in sweep.rows(folder).values()}
    assert done.out.startswith("PARTIAL ")
    assert f"PARTIAL: {32 - len(records)} of 32 questions have no record and count as 0: interrupted" in done.out
    assert "Best " not in done.out
    resumed = sweep.resume()
    assert (resumed.code, resumed.counts["reused"], resumed.counts["run"]) == (0, len(records), 32 - len(records))
    assert sweep.run("n_jobs=1").code == 0
    assert sweep.differences(*sweep.folders) == []


def test_a_question_that_does_not_end_is_cut_off_after_the_grace_and_asked_again(sweep):
    running = sweep.begin(FAKES_HOLD="What of the manager?")
    sweep.recorded(6)
    sweep.within(30, lambda: sum("manager" in call for call in sweep.calls()) == 2)
    running.terminate()
    done = sweep.done(running)
    assert (done.code, "cut off" in done.err) == (130, True), done.err
    assert len(sweep.records(sweep.folders[-1])) == 6
    sweep.within(2, lambda: not sweep.processes(running))
    assert sweep.resume("n_jobs=1").code == 0
    assert len(sweep.records(sweep.folders[-1])) == 32


def test_ctrl_c_twice_ends_at_once_without_a_report(sweep):
    running = sweep.begin(FAKES_HOLD="What of the manager?")
    sweep.recorded(6)
    os.killpg(running.pid, signal.SIGINT)
    sweep.within(5, lambda: (sweep.folders[-1] / "stop").exists())
    os.killpg(running.pid, signal.SIGINT)
    asked = time.monotonic()
    done = sweep.done(running)
    assert time.monotonic() - asked < 4, done.err
    assert (done.code, done.out) == (130, "")
    assert "ragsweep resume outputs/run/" in done.err
    assert sweep.resume("n_jobs=1").code == 0
