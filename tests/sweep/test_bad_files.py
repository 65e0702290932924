"""Files that cannot be read: all named as mistakes, or left out and said in plan and report."""

import sys
from importlib import metadata

import pytest

from ragsweep.documents import Limits, Settings
from ragsweep.documents.content import versions
from ragsweep.errors import InputErrors
from ragsweep.sweep.reading import read_corpora


@pytest.fixture
def bad(project):
    """Two files that cannot be read, beside the project's two that can."""
    (project.root / "docs" / "empty.md").write_text(" \n")
    (project.root / "docs" / "bad.docx").write_bytes(b"no archive")


def mistakes(wanted, store):
    with pytest.raises(InputErrors) as caught:
        read_corpora(wanted, store)
    return list(caught.value.messages)


def test_by_default_every_bad_file_is_a_mistake(want, store, bad):
    first, second = mistakes(want(), store)
    assert first.startswith("'bad.docx' cannot be read as DOCX")
    assert second.splitlines() == [
        "'empty.md' has no text: leave it out of dataset.files",
        "    to leave out what cannot be read, and have it counted in every report: dataset.on_bad_file=skip",
    ]


def test_skipped_files_are_counted_and_named(want, store, bad):
    read = read_corpora(want(on_bad_file="skip"), store)
    corpus = read.by_reading["pypdf"]
    assert list(corpus.documents) == list(corpus.stored) == ["leave.md", "remote.md"]
    count, first, second = read.notices
    assert count == "2 of 4 files skipped, each named below"
    assert "'bad.docx' cannot be read as DOCX" in first
    assert "'empty.md' has no text" in second


def test_when_no_file_is_left_that_is_a_mistake(want, store, bad):
    assert len(mistakes(want(on_bad_file="skip", files=["docs/bad.docx", "docs/empty.md"]), store)) == 2


def test_limits_reach_the_parsers(want, store):
    found = mistakes(want(reading=Settings(limits=Limits(characters=3))), store)
    assert [message.partition(":")[0] for message in found] == [
        "'leave.md' has more than 3 characters",
        "'remote.md' has more than 3 characters",
    ]


@pytest.mark.parametrize("on_bad_file", ["error", "skip"])
def test_a_missing_extra_or_password_is_a_mistake_and_no_bad_file(want, store, project, monkeypatch, on_bad_file):
    (project.root / "docs" / "a.pdf").write_bytes(b"%PDF")
    (project.root / "docs" / "b.pdf").write_bytes(b"%PDF")
    versions.cache_clear()
    monkeypatch.setattr(sys.modules[versions.__wrapped__.__module__], "version", _not_installed)
    found = mistakes(want(reading=Settings(pdf="pdfium"), on_bad_file=on_bad_file), store)
    assert found == ["pdf=pdfium needs an extra: pip install 'ragsweep[pdfium]'"]
    monkeypatch.undo()
    monkeypatch.delenv("HR_PASSWORD", raising=False)
    found = mistakes(want(reading=Settings(passwords=["HR_PASSWORD"]), on_bad_file=on_bad_file), store)
    assert found == ["dataset.passwords: the environment variable HR_PASSWORD is not set"]


def _not_installed(package):
    if package == "pypdfium2":
        raise metadata.PackageNotFoundError(package)
    return "1.0"


def test_a_password_for_no_file_is_a_mistake(want, store):
    found = mistakes(want(reading=Settings(passwords={"leave.pdf": "HR_PASSWORD"})), store)
    assert found == ["dataset.passwords: there is no file 'leave.pdf'; did you mean 'leave.md'?"]


FILES = ["--files", "docs", "--questions", "questions.json", "rag_type=search", "retriever=bm25", "n_jobs=1"]


def test_every_report_says_what_was_skipped(project, bad):
    assert project("run", *FILES).code == 2
    ran = project("run", *FILES, "dataset.on_bad_file=skip")
    assert ran.code == 0, ran.err
    said = "2 of 4 files skipped, each named below"
    assert f"notice: {said}" in ran.err
    assert f"note: {said}" in ran.out
    (report,) = project.root.rglob("report.md")
    assert "2 of 4 files skipped" in report.read_text()


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("pdf=fitz", "pdf='fitz': write 'pypdf' or 'pdfium'"),
        ("pdf=pypdf,fitz", "pdf='fitz': write 'pypdf' or 'pdfium'"),
        ("dataset.on_bad_file=ignore", "dataset.on_bad_file='ignore': write 'error' or 'skip'"),
        ("dataset.limits.pages=0", "dataset.limits.pages=0 is too little: write 1 or more"),
        ("dataset.limits.page=9", "dataset.limits.page: unknown key; did you mean 'pages'?"),
        ("dataset.passwords=[NO_SUCH_VARIABLE]", "the environment variable NO_SUCH_VARIABLE is not set"),
        ("dataset.passwords={leave.pdf: X}", "there is no file 'leave.pdf'; did you mean 'leave.md'?"),
    ],
)
def test_settings_that_cannot_be(project, override, message):
    (project.root / "docs" / "a.pdf").write_bytes(b"%PDF")
    ran = project("plan", *FILES, override)
    assert ran.code == 2
    assert message in ran.err
