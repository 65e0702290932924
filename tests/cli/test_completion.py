"""Bash completes commands, keys, options and experiments: its own completion function runs, as the tab key makes it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TAB = """
COMP_LINE={line!r}; COMP_POINT={point}; COMP_CWORD={word}
hydra_bash_completion
echo "${{COMPREPLY[@]}}"
"""


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (
            "ragsweep",
            {
                "ragsweep co": "collect",
                "ragsweep run chunker=pa": "chunker=page chunker=paragraph",
                "ragsweep plan --json rag_type=search,simple retriever=hybrid retriever.bm25.k": "retriever.bm25.k1=",
                "ragsweep run experiment=polic": "experiment=policies",
                "ragsweep run experim": "experiment=",
                "ragsweep questions ch": "check",
                "ragsweep questions check experiment=polic": "experiment=policies",
                "ragsweep run --fi": "",
                "ragsweep run chunker=page,p": "chunker=page,paragraph",
                "ragsweep run reranker=none,blend,m": "reranker=none,blend,mmr",
            },
        ),
        ("python run.py", {"python run.py reranker=bl": "reranker=blend"}),
    ],
)
def test_the_tab_key(program, expected):
    install = f'eval "$({program} -sc install=bash)"; complete -p {program.partition(" ")[0]} > /dev/null || exit 9\n'
    tabs = [TAB.format(line=line, point=len(line), word=len(line.split()) - 1) for line in expected]
    environment = {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    done = subprocess.run(
        ["bash", "-c", install + "".join(tabs)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout.splitlines(), done.stderr) == (0, list(expected.values()), "")


def test_the_schema_lies_where_it_is_said_to(project):
    ran = project("--schema")
    assert ran.code == 0
    assert Path(ran.out.strip()).read_text(encoding="utf-8").startswith("{")
