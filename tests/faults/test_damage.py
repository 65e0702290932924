"""Damage in the store and to our own streams: the same table, one warning, no traceback."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from ragsweep.reporting.compare import differences, strip_run
from ragsweep.store import Store
from ragsweep.sweep.run import run

MAIN = "import sys; from ragsweep.cli import main; sys.exit(main())"


@pytest.fixture
def html(project):
    (project.root / "docs" / "page.html").write_text("<p>Paid leave is twenty days a year.</p>")
    return project


def test_a_damaged_text_is_parsed_again_from_its_file_and_never_sealed_as_good(html):
    first = html.files("run")
    (stored,) = [path for path in html.root.glob("outputs/.store/documents/*/document.json") if "page.html" in path.read_text()]
    stored.write_text(stored.read_text().replace("twenty", "twelve"))
    ran = html.files("run")
    assert ran.err.count("warning: ") == 1
    assert "twenty days" in stored.read_text()
    before, after = (strip_run((run.runs[0] / "report.md").read_text()) for run in (first, ran))
    assert after == before
    assert "warning" not in html.files("run").err


@pytest.mark.parametrize("name", ["starts.npy", "chunks.npy", "weights.npy", "terms.json"])
def test_a_flipped_byte_of_a_keyword_index_is_noticed_and_built_again(project, name):
    rows = [line for line in project.files("run", "chunk_size=5").out.splitlines() if " 3/3 " in line]
    (path,) = project.root.glob(f"outputs/.store/bm25/*/{name}")
    data = bytearray(path.read_bytes())
    data[-3] ^= 0x41
    path.write_bytes(data)
    ran = project.files("run", "chunk_size=5")
    again = [line for line in ran.out.splitlines() if " 3/3 " in line]
    assert [line.split("3/3")[0] for line in again] == [line.split("3/3")[0] for line in rows]
    assert ran.err.count("warning: ") == 1


def damages(path):
    """What may have become of a file, and how to make it so."""
    data = path.read_bytes()
    for size in sorted({0, 1, len(data) // 2, len(data) - 1}):
        yield f"cut to {size}", partial(path.write_bytes, data[:size])
    middle = len(data) // 2
    yield "a byte flipped", partial(path.write_bytes, data[:middle] + bytes([data[middle] ^ 0x10]) + data[middle + 1 :])
    yield "deleted", path.unlink
    yield "a folder", lambda: (path.unlink(), path.mkdir())
    yield "a link", lambda: (path.rename(path.parents[3] / "elsewhere"), path.symlink_to(path.parents[3] / "elsewhere"))


def test_every_file_of_the_store_may_be_damaged_in_every_way(wanted, launch, project, capsys):
    """The same report, one warning, one entry built again, and all others untouched. RAGSWEEP_IO=all tries each, else a few."""
    undisturbed = run(wanted, launch).folder
    store = project.root / "outputs" / ".store"
    of_entries = sorted(path for kind in ("documents", "chunks", "copies", "bm25") for path in store.glob(f"{kind}/*/*"))
    cases = [(path, what) for path in of_entries for what, _ in damages(path)]
    assert len(cases) > 100
    for path, what in cases if os.environ.get("RAGSWEEP_IO") == "all" else cases[::7]:
        before = {each: each.stat().st_ino for each in store.glob("[bcd]*/*")}
        dict(damages(path))[what]()
        capsys.readouterr()
        ended = run(wanted, launch)
        said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("warning: ")]
        assert (ended.exit_code, len(said)) == (0, 1), (path, what, said)
        assert said[0].startswith(f"warning: {path.parent}: "), (path, what)
        assert {each for each in before if each.stat().st_ino != before[each]} == {path.parent}, (path, what)
        assert differences(undisturbed, ended.folder) == [], (path, what)
        assert Store(store, warn=pytest.fail).check() == len(before)
    print(f"files {len(of_entries)}, damages {len(cases)}")


def test_store_check_says_what_is_damaged_and_the_next_run_builds_it_again(project):
    first = project.files("run")
    checked = project("store", "check")
    assert (checked.code, checked.out.splitlines()[-1]) == (
        0,
        f"5 entries are good, 0 damaged, in {project.root}/outputs/.store",
    )
    (path,) = project.root.glob("outputs/.store/bm25/*/weights.npy")
    data = bytearray(path.read_bytes())
    data[-3] ^= 0x41
    path.write_bytes(data)
    foreign = project.root / "outputs" / ".store" / "chunks" / "foreign"
    foreign.mkdir()
    (foreign / "manifest.json").write_text('{"format": 0}')
    (foreign / "key.json").write_text("{}")
    checked = project("store", "check")
    assert checked.code == 1
    said, total = checked.out.splitlines()
    assert said.startswith(f"{path.parent}: weights.npy has another sha256; moved to ")
    assert total.startswith("4 entries are good, 1 damaged, 1 of other formats, which this release does not read, in ")
    ran = project.files("run")
    assert (ran.code, "warning: " in ran.err) == (0, False)
    before, after = (strip_run((run.runs[0] / "report.md").read_text()) for run in (first, ran))
    assert after == before
    assert project("store", "check").code == 0


def test_a_full_or_closed_stdout_is_one_line_or_nothing(project):
    project.files("run")

    def list_store(**given):
        command = [sys.executable, "-c", MAIN, "store", "ls"]
        return subprocess.run(command, cwd=project.root, stderr=subprocess.PIPE, text=True, check=False, **given)

    with Path("/dev/full").open("w") as full:
        done = list_store(stdout=full)
    assert (done.returncode, done.stderr) == (1, "error: [Errno 28] No space left on device\n")
    reader, writer = os.pipe()
    os.close(reader)
    done = list_store(stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


def test_a_top_k_beyond_all_chunks_costs_nothing(project):
    ran = project.files("run", "top_k=3000000000", "top_n=3000000000")
    assert ran.code == 0
    assert "top_n=3000000000" in ran.out


def test_questions_in_a_pipe_are_refused_not_waited_for(project):
    os.mkfifo(project.root / "pipe.json")
    ran = project("plan", "--files", "docs", "--questions", "pipe.json")
    assert (ran.code, "is no regular file" in ran.err) == (2, True)


def test_an_experiment_that_names_itself(project):
    project.experiment("defaults:\n  - /experiment: mine\n")
    ran = project("plan", "experiment=mine")
    assert (ran.code, "an experiment names itself" in ran.err) == (2, True)


def test_collect_of_what_is_no_finished_run(project):
    run = project.files("run").runs[0]
    (run / "manifest.json").unlink()
    ran = project("collect", str(run))
    assert (ran.code, "the run ended before its first question" in ran.err) == (2, True)
    assert project("collect", str(run / "plan.json")).code == 2


def test_the_basic_launcher_runs_one_at_a_time_and_the_report_says_so(project):
    given = ["--files", "docs", "--questions", "questions.json", "rag_type=search", "retriever=bm25", "chunker=word,page"]
    ran = project("run", *given, "hydra/launcher=basic", "n_jobs=2")
    assert ran.code == 0
    assert "side by side)" not in ran.out
