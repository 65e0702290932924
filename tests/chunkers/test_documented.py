"""The examples of docs/chunkers.md are what the chunkers do."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from ragsweep.documents import parse
from ragsweep.index import build_chunks

PAGE = (Path(__file__).parents[2] / "docs" / "chunkers.md").read_text(encoding="utf-8")
SAMPLE = re.search(r"^```markdown\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
EXAMPLES = re.findall(r"^```text (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_every_chunker_has_an_example() -> None:
    options = {file.stem for file in (Path(__file__).parents[2] / "conf" / "chunker").glob("*.yaml")}
    assert {written.split(",")[0] for written, _ in EXAMPLES} == options


@pytest.mark.parametrize(("written", "lines"), EXAMPLES)
def test_an_example(written: str, lines: str) -> None:
    assert SAMPLE is not None
    name, *values = written.split(",")
    chunker = getattr(import_module(f"ragsweep.chunkers.{name}"), name.capitalize())
    document = parse(SAMPLE[1].encode(), "sample.md")
    chunks = build_chunks([document], chunker(**{key: int(value) for key, value in (each.split("=") for each in values)}))
    drawn = []
    for place in range(len(chunks)):
        passage, text = (read(place, {"sample.md": document}) for read in (chunks.passage, chunks.text))
        carried = passage.removesuffix(text).rstrip("\n")
        drawn.append((f"({carried}) " if carried else "") + text)
    assert [line.replace("\n", " / ") for line in drawn] == lines.splitlines()
