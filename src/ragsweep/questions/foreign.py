"""Questions in the format of another tool: its name, and the lines of Python that write them as ragsweep reads them."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

TABLES = (".csv", ".tsv")
_HEADER_BYTES = 100_000
_EVIDENCE = {"required_evidence_ids", "expected", "references", "answerable"}
_RAGAS = {"reference_contexts", "retrieved_contexts", "contexts", "ground_truth", "ground_truths"}
_QUESTION = ("question", "query", "prompt", "input")
_QUOTE = ("quote", "evidence", "passage", "context")
_SOURCE = ("source", "file", "filename", "document")
_ANSWER = ("answer", "expected_answer", "reference_answer", "ground_truth")
_ID = ("id", "question_id", "qid")
_PAGE = ("page", "page_number")
_ANSWERABLE = ("answerable", "is_answerable")
_NO = ("false", "no", "0", "n", "f")
"""What stands in a table for a question that nothing answers, in lower case."""


_NUMBERED = "f'q_{number:03d}'"


def of_folder(path: Path) -> str | None:
    """How to convert a folder, None when it is of no format that is known here."""
    return _beir(path, path, None) if (path / "queries.jsonl").is_file() else None


def of_objects(path: Path, written: Iterable[Any]) -> str | None:
    """How to convert a file of JSON, told by the keys of its first object; None when nothing says that it is foreign."""
    objects = [item for item in written if isinstance(item, Mapping)]
    names = [str(key) for key in objects[0]] if objects else []
    keys = set(names)
    if not objects or keys & _EVIDENCE:
        return None
    if {"_id", "text"} <= keys and "question" not in keys:
        return _beir(path, path.parent, None)
    lines = path.suffix.lower() == ".jsonl"
    rows = "[json.loads(line) for line in file if line.strip()]" if lines else "json.load(file)"
    if _is_ragas(keys):
        return _ragas(path, keys, "utf-8-sig", rows)
    if any("question" in item for item in objects):
        return None
    return _rows(path, f"{path.name} has keys of its own ({', '.join(names)})", names, "utf-8-sig", rows)


def of_table(path: Path, data: bytes) -> str:
    """How to convert a file of rows and columns, told by the names in its first line."""
    encoding = _encoding(data)
    header = next(iter(data[:_HEADER_BYTES].decode(encoding, "replace").splitlines()), "")
    delimiter = max(",;\t", key=header.count)
    columns = next(csv.reader([header], delimiter=delimiter), [])
    if {"query-id", "corpus-id"} <= set(columns):
        return _beir(path, path.parent.parent if path.parent.name == "qrels" else path.parent, path)
    rows = "csv.DictReader(file)" if delimiter == "," else f"csv.DictReader(file, delimiter={delimiter!r})"
    if _is_ragas(set(columns)):
        return _ragas(path, set(columns), encoding, rows)
    return _rows(path, f"{path.name} is a table (columns: {', '.join(columns) or 'none'})", columns, encoding, rows)


def _rows(path: Path, what: str, columns: Sequence[str], encoding: str, rows: str) -> str:
    """How to convert rows with a value for each of ``columns``, whose names say which is which."""
    question = _column(columns, _QUESTION) or "QUESTION"
    quote, source, answer, id, page, answerable = (
        _column(columns, names) for names in (_QUOTE, _SOURCE, _ANSWER, _ID, _PAGE, _ANSWERABLE)
    )
    places = [f"{key!r}: row[{column!r}]" for key, column in (("source", source), ("quote", quote)) if column]
    if page and source and not quote:  # a quote says more than its page
        places.append(f"**({{'page': int(row[{page!r}])}} if row[{page!r}] else {{}})")
    evidence = f"{{{', '.join(places)}}}" if source else f"row[{quote or 'EVIDENCE'!r}]"
    wanted = ["QUESTION"] * (question == "QUESTION") + ["EVIDENCE"] * (not places)
    missing = f"; put the right column for {' and '.join(wanted)}" if wanted else ""
    is_asked = f"str(row[{answerable!r}]).strip().lower() not in {_NO}"
    values = [f"'question': row[{question!r}]", f"'expected': [{evidence}]{f' if {is_asked} else []' if answerable else ''}"]
    values += [f"'answerable': {is_asked}"] if answerable else []
    values += [f"'answer': row[{answer!r}] or None"] if answer else []
    packages = "csv, json" if "csv" in rows else "json"
    return _shown(
        what + missing, packages, *_opened(path, encoding, rows), *_asked(values, f"row[{id!r}]" if id else _NUMBERED)
    )


def _ragas(path: Path, keys: set[str], encoding: str, rows: str) -> str:
    # In a test set of Ragas 0.1 contexts are those that the question was made from; elsewhere those that a search found.
    evidence = "contexts" if "evolution_type" in keys and "reference_contexts" not in keys else "reference_contexts"
    contexts = f"row[{evidence!r}]" if "csv" not in rows else f"ast.literal_eval(row[{evidence!r}])"
    answer = next((key for key in ("reference", "ground_truth") if key in keys), None)
    values = [
        f"'question': row[{'user_input' if 'user_input' in keys else 'question'!r}]",
        rf"'expected': [re.sub(r'^<\d+-hop>\s*', '', context) for context in {contexts}]",
        *([f"'answer': row[{answer!r}] or None"] if answer else []),
    ]
    found = "" if evidence in keys else f"; it has no {evidence}, and what a search found is no evidence: add them first"
    packages = "ast, csv, json, re" if "csv" in rows else "json, re"
    return _shown(f"{path.name} is a Ragas file{found}", packages, *_opened(path, encoding, rows), *_asked(values))


def _beir(path: Path, folder: Path, qrels: Path | None) -> str:
    if qrels is None:
        splits = sorted((folder / "qrels").glob("*.tsv"))
        qrels = next((split for split in splits if split.stem == "test"), splits[0] if splits else folder / "qrels/test.tsv")
    return _shown(
        f"{path.name} is part of a BEIR data set; its corpus becomes the folder documents",
        "csv, json, pathlib, urllib.parse",
        f"folder, documents = pathlib.Path({str(folder)!r}), pathlib.Path('documents')",
        "lines = lambda name: [json.loads(line) for line in (folder / name).open(encoding='utf-8') if line.strip()]",
        "name = lambda id: urllib.parse.quote(id, safe='') + '.txt'",
        "documents.mkdir()",
        "for entry in lines('corpus.jsonl'):",
        "    text = entry.get('title', '') + '\\n\\n' + entry['text']",
        "    (documents / name(entry['_id'])).write_text(text, encoding='utf-8')",
        "evidence = {}",
        f"for row in csv.DictReader(open({str(qrels)!r}, encoding='utf-8'), delimiter='\\t'):",
        "    if float(row['score']) > 0:",
        "        evidence.setdefault(row['query-id'], []).append(name(row['corpus-id']))",
        "questions = [{'id': query['_id'], 'question': query['text'], 'required_evidence_ids': evidence[query['_id']]}",
        "             for query in lines('queries.jsonl') if query['_id'] in evidence]",
    )


def _shown(what: str, packages: str, *lines: str) -> str:
    said = f"dataset.questions: {what}. ragsweep reads its own JSON; this Python writes questions.json:"
    written = (
        "with open('questions.json', 'w', encoding='utf-8') as file:",
        "    json.dump(questions, file, ensure_ascii=False, indent=1)",
    )
    return "\n".join([said, *(f"    {line}" for line in (f"import {packages}", *lines, *written))])


def _opened(path: Path, encoding: str, rows: str) -> list[str]:
    return [f"with open({str(path)!r}, encoding={encoding!r}, newline='') as file:", f"    rows = list({rows})"]


def _asked(values: Sequence[str], id: str = _NUMBERED) -> list[str]:
    return [
        f"questions = [{{'id': {id},",
        *(f"              {value}," for value in values[:-1]),
        f"              {values[-1]}}} for number, row in enumerate(rows, 1)]",
    ]


def _encoding(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252"  # what Excel writes in Western Europe and America
    return "utf-8-sig"


def _is_ragas(keys: set[str]) -> bool:
    return "user_input" in keys or ("question" in keys and bool(keys & _RAGAS))


def _column(columns: Sequence[str], names: Sequence[str]) -> str | None:
    return next((column for name in names for column in columns if column.casefold() == name), None)
