"""What a command does not use it does not load, and Hydra composes a config once."""

import subprocess
import sys

SCRIPT = """
import sys
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from ragsweep.cli import main

composed, compose = [], ConfigLoaderImpl.load_configuration
ConfigLoaderImpl.load_configuration = lambda *given, **named: composed.append(given) or compose(*given, **named)
code = main(["plan", "rag_type=search,simple", "chunker=word,paragraph", "retriever=bm25"])
heavy = {"httpx", "tenacity", "asyncio", "rich", "joblib", "onnxruntime", "tokenizers", "bm25s", "pypdf", "lxml"}
print(code, len(composed), sorted(heavy & set(sys.modules)))
"""


def test_a_plan_without_servers_composes_once_and_loads_no_part_that_it_does_not_use(tmp_path):
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 1 []"
