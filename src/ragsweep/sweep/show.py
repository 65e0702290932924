"""How a document is cut: its chunks, shown to a person, and where the evidence of the questions falls."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ragsweep.documents import find
from ragsweep.errors import InputError, InputErrors
from ragsweep.index import build_chunks
from ragsweep.parts import Chunker
from ragsweep.questions import load, placed, resolve
from ragsweep.questions.names import Names
from ragsweep.reporting.chunking import Chunking, Line, beside, chunk_lines, overview
from ragsweep.reporting.escape import visible
from ragsweep.store import Store
from ragsweep.sweep.describe import count
from ragsweep.sweep.naming import chunker_id, chunking_names
from ragsweep.sweep.painting import Painter
from ragsweep.sweep.progress import say
from ragsweep.sweep.reading import read_corpora, read_documents
from ragsweep.sweep.run import make_store
from ragsweep.sweep.wanted import Wanted
from ragsweep.text.words import count_words
from ragsweep.types import Document, Question


def show(wanted: Wanted, name: str, *, diff: bool, full: bool) -> int:
    """Print the chunks of the document ``name`` (a path, or an id), or two chunkings of it beside each other.

    Raises InputError(s) for a document that is not there or cannot be read, and for another number of chunkings.
    """
    if wanted.problems:
        raise InputErrors(wanted.problems)
    cuts = _cuts(wanted, diff=diff)
    for key in _idle(wanted):
        say(f"notice: chunks are shown, and {key} changes none of them: its values are not compared")
    store = make_store(wanted)
    of_one, id, is_ours = _of_one(wanted, name)
    read = read_documents(of_one, store)
    for notice in read.notices:
        say(f"notice: {notice}")
    documents = {reading: corpus.documents[id] for reading, corpus in read.by_reading.items()}
    questions = _questions(wanted, store, documents) if is_ours else {}
    chunkings = [
        Chunking(each, chunker, documents[reading], build_chunks([documents[reading]], chunker), questions.get(reading, ()))
        for each, (reading, chunker) in cuts.items()
    ]
    painter = Painter()
    several = len(set(documents.values())) > 1
    abouts = (_about(document, f", pdf={reading}" if several else "") for reading, document in documents.items())
    painter.write([Line([(about, "title")]) for about in dict.fromkeys(abouts)])
    if diff and painter.is_wide:
        _write_beside(painter, *chunkings, full=full)
    else:
        for chunking in chunkings:
            _write(painter, chunking, full=full)
    return 0


def _cuts(wanted: Wanted, *, diff: bool) -> Mapping[str, tuple[str, Chunker]]:
    """The distinct readings and chunkers by the name of their chunking: one, or two to show beside each other."""
    names = chunking_names(wanted)
    cuts = {
        names[row.reading, chunker_id(chunker)]: (row.reading, chunker)
        for row in wanted.rows
        if (chunker := row.setup.chunker) is not None
    }
    if wanted.rows and not cuts:
        raise InputError("there is nothing to show: the retriever brings contexts of its own, and no document is cut")
    if not cuts:
        raise InputErrors(["there is nothing to show: every combination is impossible", *wanted.skipped])
    found = f"{'this is' if len(cuts) == 1 else 'these are'} {len(cuts)} ({', '.join(cuts)})"
    if diff and len(cuts) != 2:
        advice = "write two values of one key that changes chunks, as in --diff chunker=word,paragraph, and one of each other"
        raise InputError(f"--diff shows two chunkings, and {found}: {advice}")
    if not diff and len(cuts) > 1:
        raise InputError(f"show takes one chunking, and {found}: write one value for each key, or --diff for two")
    return cuts


def _idle(wanted: Wanted) -> Iterator[str]:
    """The axes of which every value cuts as the others do."""
    for key in wanted.axes:
        cuts: dict[str, set[tuple[str, str]]] = {}
        for row in wanted.rows:
            cuts.setdefault(str(row.asked.get(key)), set()).add((row.reading, chunker_id(row.setup.chunker)))
        first, *others = cuts.values()
        if others and all(each == first for each in others):
            yield key


def _of_one(wanted: Wanted, name: str) -> tuple[Wanted, str, bool]:
    """What is wanted, of one document alone; its id; and whether it is one of those that were meant.

    ``name`` is the path of one of them, else an id, else the path of any other file.
    """
    here = Path.cwd() / name
    if here.is_dir():
        raise InputError(f"{name!r} is a folder: name one file of it, or write --files {name} behind the name of a document")
    found = {id: path for path, id in find(wanted.files, wanted.base, wanted.root).files} if wanted.files is not None else {}
    same = [id for id, path in found.items() if here.exists() and path.samefile(here)]
    ids = Names({id: id for id in found})
    try:
        is_ours = bool(same) or ids.get(name) is not None
        if is_ours or (found and not here.exists() and not wanted.sample):
            id = same[0] if same else ids.document(name)
            path = found[id]
        else:
            (path, id), *others = find(name, Path.cwd()).files
            if others:
                raise InputError(f"it means {len(others) + 1} files: name one")
    except InputError as error:
        raise InputError(f"{name!r}: {'' if here.exists() else 'there is no file here, and '}{error}") from None
    passwords = wanted.reading.passwords
    if isinstance(passwords, Mapping):
        passwords = {each: variable for each, variable in passwords.items() if each == id}
    one = replace(
        wanted,
        files=[str(path)],
        root=str(path.parents[id.count("/")]),
        reading=replace(wanted.reading, passwords=passwords),
        on_bad_file="error",
    )
    return one, id, is_ours


def _questions(wanted: Wanted, store: Store, documents: Mapping[str, Document]) -> Mapping[str, Sequence[Question]]:
    """The questions with their evidence in each reading; none, as is said, where they or other files have mistakes.

    Of a document that is shown without the others, the questions may be about these too.
    """
    if wanted.questions is None:
        return {}
    try:
        return {name: corpus.questions for name, corpus in read_corpora(wanted, store).by_reading.items()}
    except InputErrors as error:
        first, *others = error.messages
        alone = len(find(wanted.files or [], wanted.base, wanted.root).files) == 1
        with suppress(InputError, InputErrors):
            if alone and (found := _of_questions_for_more(wanted, documents, first)):
                return found
        more = f", and {len(others)} more mistakes (ragsweep plan lists all)" if others else ""
        say(f"warning: no evidence is shown: {first}{more}")
        return {}


def _of_questions_for_more(wanted: Wanted, documents: Mapping[str, Document], first: str) -> Mapping[str, Sequence[Question]]:
    """The questions with their evidence in one file, in each reading; none where no label has a place in it."""
    written = load(wanted.base / wanted.questions if isinstance(wanted.questions, str) else wanted.questions or ())
    texts = [{document.id: document} for document in documents.values()]
    kept, others = placed(written, *texts)
    if not kept.drafts:
        return {}
    say(f"notice: not in this file: {count(others, 'label')} of the questions, the first: {first}")
    return {reading: questions for reading, (questions, _) in zip(documents, resolve(kept, *texts), strict=True)}


def _about(document: Document, reader: str) -> str:
    kinds = Counter(block.kind for block in document.blocks)
    others = {"page": len(document.pages), "heading": len(document.headings), "table": kinds["table"]}
    facts = [count(number, what) for what, number in others.items() if number]
    facts += [count(kinds["code"], "block") + " of code"] if kinds["code"] else []
    sizes = [count(count_words(document.text), "word"), count(len(document.text), "character")]
    return f"{visible(document.id)}{reader}: {', '.join([*sizes, *facts])}"


def _write(painter: Painter, chunking: Chunking, *, full: bool) -> None:
    painter.write([_EMPTY, *overview(chunking)])
    for place in range(len(chunking.spans)):
        painter.write([_EMPTY, *chunk_lines(chunking, place, full=full)])


def _write_beside(painter: Painter, left: Chunking, right: Chunking, *, full: bool) -> None:
    painter.write([_EMPTY])
    painter.write_beside(overview(left), overview(right))
    for row in beside(left, right):
        columns = (
            [line for place in places for line in (_EMPTY, *chunk_lines(chunking, place, full=full))]
            for chunking, places in zip((left, right), row, strict=True)
        )
        painter.write_beside(*columns)


_EMPTY = Line([("", "")])
