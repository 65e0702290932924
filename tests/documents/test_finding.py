"""Which files are read, and what they are called."""

import os
import unicodedata
from pathlib import Path

import pytest

from ragsweep.documents import Limits, find, read_bytes, would_find
from ragsweep.errors import InputError, InputErrors


def write(base, *names):
    for name in names:
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).write_text("text")


def ids(files, base, **options):
    return [id for _, id in find(files, base, **options).files]


def mistakes(files, base, **options):
    with pytest.raises(InputErrors) as caught:
        find(files, base, **options)
    return caught.value.messages


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ("docs", ["a.md", "b/c.txt", "b/d.PDF"]),
        ("docs/a.md", ["a.md"]),
        (Path("docs/b"), ["c.txt", "d.PDF"]),
        (["docs/b/c.txt", "other/e.markdown"], ["docs/b/c.txt", "other/e.markdown"]),
        ("docs/*.md", ["a.md"]),
        ("docs/*", ["a.md", "b/c.txt", "b/d.PDF"]),
        ("docs/**/*.txt", ["c.txt"]),
        ("docs/**", ["a.md", "b/c.txt", "b/d.PDF"]),
        ("**/[ac].*", ["a.md", "b/c.txt"]),
        ("*/e.markdown", ["e.markdown"]),
        (["docs", "docs/a.md", "docs/../docs/a.md"], ["a.md", "b/c.txt", "b/d.PDF"]),
        (".", ["docs/a.md", "docs/b/c.txt", "docs/b/d.PDF", "other/e.markdown"]),
    ],
)
def test_selection(tmp_path, files, expected):
    write(tmp_path, "docs/b/d.PDF", "docs/a.md", "docs/b/c.txt", "other/e.markdown")
    write(tmp_path, "docs/.hidden.md", "docs/.git/x.md", "docs/node_modules/y.md")
    assert ids(files, tmp_path) == expected


def test_paths_are_openable_and_absolute_names_work(tmp_path):
    write(tmp_path, "docs/a.md")
    ((path, id),) = find(str(tmp_path / "docs"), Path("/")).files
    assert (path.read_text(), id) == ("text", "a.md")


def test_what_the_user_names_is_read_although_hidden(tmp_path):
    write(tmp_path, ".notes/a.md")
    assert ids(".notes", tmp_path) == ["a.md"]


def test_a_name_with_the_signs_of_a_glob_is_a_name(tmp_path):
    write(tmp_path, "a[1].md", "a1.md")
    assert ids("a[1].md", tmp_path) == ["a[1].md"]


def test_unsupported_types_are_skipped_with_a_notice_in_folders_only(tmp_path):
    write(tmp_path, "docs/a.md", "docs/b.xlsx", "docs/LICENSE")
    assert find("docs", tmp_path).notices == (
        "2 files are skipped in 'docs' (.xlsx, no suffix): supported are .txt .md .markdown .html .htm .docx .pdf",
    )
    (message,) = mistakes("docs/b.xlsx", tmp_path)
    assert "'docs/b.xlsx'" in message
    assert ".txt .md .markdown .html .htm .docx .pdf" in message


def test_root_names_the_folder_of_the_ids(tmp_path):
    write(tmp_path, "docs/b/c.txt")
    assert ids("docs/b", tmp_path, root="docs") == ["b/c.txt"]
    assert "does not lie in" in mistakes("docs", tmp_path, root="docs/x")[0]


def test_same_names_in_two_folders_are_two_documents(tmp_path):
    write(tmp_path, "a/faq.md", "b/faq.md", "a/faq.txt")
    assert ids(["a", "b"], tmp_path) == ["a/faq.md", "a/faq.txt", "b/faq.md"]


def test_ids_are_nfc_and_two_files_with_one_id_are_a_mistake(tmp_path):
    decomposed, composed = (unicodedata.normalize(form, "café.md") for form in ("NFD", "NFC"))
    write(tmp_path, decomposed)
    assert ids(".", tmp_path) == [composed]
    write(tmp_path, composed)
    assert "one document id" in mistakes(".", tmp_path)[0]


@pytest.mark.parametrize(
    "name",
    ["with spaces & ümläut#1.md", "'quoted' \"name\".md", "line\nbreak.md", "-dash.md", "con.md", "back\\slash.md", "~$,=.md"],
)
def test_any_name_is_read(tmp_path, name):
    write(tmp_path, name)
    assert ids(".", tmp_path) == ids(name, tmp_path) == [name]


def test_a_name_that_is_no_utf8_is_a_mistake(tmp_path):
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md")).write_text("text")
    assert "not UTF-8" in mistakes(".", tmp_path)[0]


def test_every_mistake_is_listed_with_the_nearest_existing_name(tmp_path):
    write(tmp_path, "docs/leave.md")
    first, second, third, fourth = mistakes(["docs/leaves.md", "doc", "docs/*.pdf", "x" * 300], tmp_path)
    assert "did you mean 'leave.md'?" in first
    assert "did you mean 'docs'?" in second
    assert "no file matches 'docs/*.pdf'" in third
    assert "cannot be read" in fourth


@pytest.mark.parametrize("files", [[], "empty", "others"])
def test_an_empty_selection_is_a_mistake(tmp_path, files):
    write(tmp_path, "others/a.xlsx", "empty/.hidden.md")
    assert "no file to read" in mistakes(files, tmp_path)[0]


def test_only_regular_files_inside_the_folder_are_followed(tmp_path):
    write(tmp_path, "docs/a.md", "outside/secret.md")
    docs = tmp_path / "docs"
    (docs / "inside.md").symlink_to("a.md")
    (docs / "outside.md").symlink_to("../outside/secret.md")
    (docs / "zero.md").symlink_to("/dev/zero")
    (docs / "dangling.md").symlink_to("nothing.md")
    (docs / "self.md").symlink_to("self.md")
    (docs / "loop").symlink_to(".")
    (docs / "folder").symlink_to("../outside")
    os.mkfifo(docs / "fifo.md")
    selection = find("docs", tmp_path)
    assert [id for _, id in selection.files] == ["a.md", "inside.md"]
    assert selection.notices == tuple(
        f"the link '{name}' is not followed" for name in ("folder", "loop", "outside.md", "zero.md")
    )
    assert ids("docs/**/*.md", tmp_path) == ["a.md", "inside.md"]
    assert "no regular file" in mistakes("docs/fifo.md", tmp_path)[0]
    assert ids("docs/outside.md", tmp_path) == ["outside.md"]  # the user named this one


def test_bytes_are_read_of_regular_files_within_the_limit(tmp_path):
    path = tmp_path / "a.md"
    path.write_bytes(bytes(1_000_001))
    os.mkfifo(tmp_path / "fifo.md")
    assert len(read_bytes(path, "a.md", Limits(file_mb=2))) == 1_000_001
    for name, message in [
        ("a.md", r"'a.md' is bigger than 1 MB: raise dataset.limits.file_mb, or leave the file out of dataset.files"),
        ("fifo.md", "'fifo.md' is no regular file"),
        ("no.md", "'no.md' cannot be read: No such file or directory"),
    ]:
        with pytest.raises(InputError, match=message):
            read_bytes(tmp_path / name, name, Limits(file_mb=1))
    with pytest.raises(InputError, match=r"'zero.md' is no regular file"):
        read_bytes(Path("/dev/zero"), "zero.md", Limits(file_mb=1))


def test_a_glob_does_not_enter_folders_that_cannot_match(tmp_path, monkeypatch):
    write(tmp_path, "a.md", "deep/er/b.md")
    entered = []
    walk = os.walk
    monkeypatch.setattr(os, "walk", lambda *given, **named: (entered.append(step[0]) or step for step in walk(*given, **named)))
    assert ids("*.md", tmp_path) == ["a.md"]
    assert entered == [str(tmp_path)]


def test_what_ragsweep_writes_is_not_read_as_a_document(tmp_path, monkeypatch):
    monkeypatch.delenv("RAGSWEEP_OUTPUTS", raising=False)
    monkeypatch.chdir(tmp_path)
    for name in ("a.md", "outputs/run/report.md", "other/outputs/b.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("text")
    selection = find(".", tmp_path)
    assert [id for _, id in selection.files] == ["a.md", "other/outputs/b.md"]
    assert selection.notices == ("the folder 'outputs' holds what ragsweep writes and is skipped",)


@pytest.mark.parametrize("path", ["experiments/mine/README.md", "docs/new.md", "docs/.hidden/a.md"])
@pytest.mark.parametrize(
    "entry",
    [".", "docs", "docs/a.md", "*.md", "**", "**/*.md", "experiments", "experiments/*/*.md", "*/README.md", "e*", "docs/[n]*"],
)
def test_what_would_be_found_is_what_is_found_once_it_is_there(tmp_path, entry, path):
    write(tmp_path, "docs/a.md", "experiments/old.md", "b.md", "docs/n.md", "experiments/old/a.md", "docs/README.md")
    expected = would_find(tmp_path / path, [entry], tmp_path)
    write(tmp_path, path)
    assert (tmp_path / path in [found for found, _ in find(entry, tmp_path).files]) is expected


@pytest.mark.parametrize(("folder", "there"), [("", "{base}"), ("{base}/", "{base}"), ("{base}/docs/", "{base}/docs")])
def test_a_path_that_does_not_exist_is_told_with_a_few_names_of_where_it_is_not(tmp_path, folder, there):
    """However full the folder: the files of a best.yaml that moved may be missing in /tmp."""
    write(tmp_path, *(f"{place}{number:02}.md" for number in range(12) for place in ("", "docs/")))
    entry, where = f"{folder}questions".format(base=tmp_path), there.format(base=tmp_path)
    with pytest.raises(InputErrors) as error:
        find(entry, tmp_path)
    more = 4 if where.endswith("docs") else 5
    names = ", ".join(f"{number:02}.md" for number in range(8))
    assert str(error.value).endswith(f"{entry!r} does not exist in {where!r}; known: {names} and {more} more")
