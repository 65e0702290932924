"""What chunks carry beside their text, through a whole run: searched, never evidence."""

import csv
from typing import Any

TABLE = "# Allowances\n\n| Grade | Kilometre rate |\n|---|---|\n| Junior clerk | 20 |\n| Senior clerk | 25 |\n"
CHUNKER = ["chunk_size=6", "chunk_overlap=0", "top_k=1", "top_n=1"]


def rows(project: Any, *overrides: str) -> list[dict[str, str]]:
    (project.root / "docs" / "rates.md").write_text(TABLE, encoding="utf-8")
    ran = project.files("run", *CHUNKER, *overrides)
    assert ran.code == 0, ran.err
    with (ran.runs[0] / "questions.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_row_is_found_by_the_words_of_its_header(project: Any) -> None:
    project.questions([{"id": "q", "question": "kilometre rate of a senior clerk", "expected": ["| Senior clerk | 25 |"]}])
    for chunker in ("paragraph", "sentence"):
        assert float(rows(project, f"chunker={chunker}")[0]["recall"]) == 1


def test_the_header_that_a_chunk_carries_is_no_evidence_and_no_words(project: Any) -> None:
    project.questions([{"id": "q", "question": "kilometre senior", "expected": ["Kilometre rate"]}])
    row = rows(project, "chunker=paragraph")[0]
    assert (float(row["recall"]), row["words"]) == (0, "6"), "the hit is the row of senior clerks"


def test_headings_make_another_chunking_of_the_same_cuts(project: Any) -> None:
    project.questions([{"id": "q", "question": "allowances of senior", "expected": ["| Senior clerk | 25 |"]}])
    found = rows(project, "chunker=section", "chunker.heading_path=true,false")
    assert [row["chunker.heading_path"] for row in found] == ["True", "False"]
    assert (
        "cut these files alike"
        not in project.files("plan", "chunker=section", "chunk_size=6", "chunker.heading_path=true,false").out
    )
    assert "cut these files alike" in project.files("plan", "chunker=section", "chunk_size=300,400").out
