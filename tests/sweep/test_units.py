"""One chunk_size for chunkers that count in different units."""

from typing import Any

import pytest

from ragsweep.sweep.units import unit_notices, with_unit


def names(out: str) -> list[str]:
    return [line.removeprefix("  setup ") for line in out.splitlines() if line.startswith("  setup ")]


def test_the_plan_says_so_and_names_carry_the_unit(project: Any) -> None:
    ran = project.files("plan", "chunker=word,character,token,page", "chunk_size=20,40")
    assert names(ran.out + ran.err) == [
        "word 20 words",
        "word 40 words",
        "character 20 ch",
        "character 40 ch",
        "token 20 tokens",
        "token 40 tokens",
        "page",
    ]
    assert "notice: chunk_size counts several units: words (word); characters (character); tokens (token)" in ran.out + ran.err


def test_the_report_carries_the_unit_and_keeps_the_axis(project: Any) -> None:
    ran = project.files("run", "chunker=word,character", "chunk_size=20,40")
    assert ran.code == 0
    assert all(row in ran.out for row in ("word 20 words ", "character 40 ch ", "floor (character 20 ch)"))
    rows = (ran.runs[0] / "report.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0].startswith("chunker,chunk_size,")
    assert [row.split(",")[:2] for row in rows[1:]] == [
        ["word", "20"],
        ["word", "40"],
        ["character", "20"],
        ["character", "40"],
    ]


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        (["chunker=word,paragraph", "chunk_size=20,40"], "word + chunk_size=20"),
        (["chunker=word,character"], "word"),  # 160 words and 1000 characters: no number stands for two things
        (["chunker=paragraph", "length=words,characters", "chunk_size=20"], "length=words"),  # the name says it already
        (["chunker=paragraph,sentence", "length=words,characters", "chunk_size=20"], "paragraph 20 words"),
    ],
)
def test_names_are_as_ever_where_no_unit_is_missing(project: Any, overrides: list[str], expected: str) -> None:
    ran = project.files("plan", *overrides)
    assert names(ran.out + ran.err)[0] == expected


def test_a_single_unit_is_no_news() -> None:
    assert unit_notices({}) == []
    assert with_unit({"chunker": "page", "top_k": 5}) == {"chunker": "page", "top_k": 5}
