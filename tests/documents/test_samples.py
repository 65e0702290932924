"""Files that nobody here wrote: what a person reads in each of them, written down by hand in golden/samples.jsonl.

``says`` is a phrase by page, ``order`` phrases in the order in which they are read, ``tables`` the header of each table.
"""

import json
import re
from hashlib import sha256
from pathlib import Path

import pytest

from ragsweep.documents import Settings, parse, parse_apart
from ragsweep.errors import InputError

HERE = Path(__file__).parent
SAMPLES = HERE / "samples"
GOLDEN = [json.loads(line) for line in (HERE / "golden" / "samples.jsonl").read_text(encoding="utf-8").splitlines()]
PASSWORD = "RAGSWEEP_TEST_PASSWORD"


def read(name, password=None, pdf="pypdf"):
    return parse((SAMPLES / name).read_bytes(), name, Settings(pdf=pdf, passwords=[PASSWORD] if password else []))


def folded(text):
    return " ".join(text.split())


def pattern(phrase):
    """Line ends in a phrase are meant as they are; a space is any white space."""
    return re.compile(r"\s+".join(re.escape(word) for word in phrase.split(" ")))


def test_every_sample_is_in_the_table_and_is_what_it_was():
    manifest = {entry["file"]: entry["sha256"] for entry in json.loads((SAMPLES / "manifest.json").read_text(encoding="utf-8"))}
    assert {path.name: sha256(path.read_bytes()).hexdigest() for path in SAMPLES.iterdir() if path.name in manifest} == manifest
    assert sorted(manifest) == sorted(expected["file"] for expected in GOLDEN)


@pytest.mark.parametrize("expected", [each for each in GOLDEN if "error" in each], ids=lambda each: each["file"])
def test_a_sample_without_text_is_one_named_error(expected):
    with pytest.raises(InputError) as caught:
        read(expected["file"])
    assert str(caught.value).startswith(f"'{expected['file']}' {expected['error']}")


@pytest.mark.parametrize("expected", [each for each in GOLDEN if "error" not in each], ids=lambda each: each["file"])
def test_a_sample_reads_as_a_person_reads_it(expected, monkeypatch):
    monkeypatch.setenv(PASSWORD, expected.get("password", ""))
    document = read(expected["file"], expected.get("password"))
    text = document.text
    assert len(document.pages) == expected.get("pages", 0)
    for number, phrase in expected.get("says", {}).items():
        start, end = document.pages[int(number) - 1]
        assert phrase in folded(text[start:end])
    place = 0
    for phrase in expected.get("order", []):
        found = pattern(phrase).search(text, place)
        assert found, phrase
        place = found.start()
    for phrase in expected.get("absent", []):
        assert phrase not in text
    for phrase, times in expected.get("times", {}).items():
        assert text.count(phrase) == times
    headings = [[heading.level, heading.title] for heading in document.headings]
    assert len(headings) == expected.get("headings", 0)
    assert headings[: len(expected.get("first_headings", []))] == expected.get("first_headings", [])
    for heading in document.headings:
        assert heading.title in folded(text[heading.start : heading.end]) or expected["file"].endswith(".md")
    if "tables" in expected:
        headers = [block.header and text[slice(*block.header)] for block in document.blocks if block.kind == "table"]
        assert headers == expected["tables"]
    if "code" in expected:
        assert len([block for block in document.blocks if block.kind == "code"]) == expected["code"]
    assert [notice for notice in document.notices if expected.get("notice", "nothing") not in notice] == []
    assert len(document.notices) == (1 if "notice" in expected else 0)


def test_passwords_are_asked_for():
    with pytest.raises(InputError, match=r"is encrypted: write in dataset.passwords the name of an environment variable"):
        read("pypdf_r2-user-password.pdf")


def test_all_samples_by_processes_of_their_own_read_the_same():
    names = [expected["file"] for expected in GOLDEN if expected["file"].endswith((".pdf", ".docx", ".html"))]
    files = [((SAMPLES / name).read_bytes(), name) for name in names]
    found = dict(parse_apart(files, Settings(), 2))
    assert sorted(found) == sorted(names)
    for data, name in files:
        try:
            assert found[name] == parse(data, name)
        except InputError as error:
            assert str(found[name]) == str(error)


def test_pdfium_reads_the_same_pages(monkeypatch):
    pytest.importorskip("pypdfium2")
    for expected in GOLDEN:
        if expected["file"].endswith(".pdf") and "says" in expected and expected["file"] != "pypdf_indirect-rotation.pdf":
            monkeypatch.setenv(PASSWORD, expected.get("password", ""))
            document = read(expected["file"], expected.get("password"), pdf="pdfium")
            assert len(document.pages) == expected["pages"]
            assert "\r" not in document.text
            assert "\ufffe" not in document.text
            for number, phrase in expected["says"].items():
                assert phrase in folded(document.text[slice(*document.pages[int(number) - 1])])
