"""Print what is long: files of more than 250 lines, functions of more than 30. A sign that a room is missing, no failure."""

import ast
from collections.abc import Iterator
from pathlib import Path

FILE, FUNCTION = 250, 30


def long(root: Path) -> Iterator[str]:
    """One line of text for each long file or function under ``root``."""
    for path in sorted(root.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if (lines := source.count("\n")) > FILE:
            yield f"{lines:5} lines  {path}"
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or 0) - node.lineno + 1
                if length > FUNCTION:
                    yield f"{length:5} lines  {path}:{node.lineno} {node.name}"


if __name__ == "__main__":
    for line in long(Path(__file__).parents[1] / "src"):
        print(line.replace(f"{Path.cwd()}/", ""))
