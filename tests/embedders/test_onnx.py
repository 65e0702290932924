"""Over a tiny model that is written here: the vector of a token is its row of a table plus the mean row of the whole input."""

import json
import os
import pickle
from pathlib import Path

import numpy as np
import pytest

from ragsweep.embedders.onnx import Onnx
from ragsweep.errors import InputError

WORDS = ("[UNK]", "[CLS]", "[SEP]", "leave", "day", "stone")
TABLE = np.random.default_rng(0).normal(size=(len(WORDS), 4)).astype(np.float32)
THREE = ("input_ids", "attention_mask", "token_type_ids")
TEXTS = ["leave day", "", "day " * 40, "stone", "leave day", "[SEP] stone"]


def number(value: int) -> bytes:
    """A varint of protobuf."""
    return bytes([value % 128 + 128 * (value > 127)]) + (number(value // 128) if value > 127 else b"")


def message(*fields: tuple[int, int | str | bytes]) -> bytes:
    """A protobuf message of (field number, value)."""
    parts = []
    for place, value in fields:
        content = value.encode() if isinstance(value, str) else value
        parts.append(
            number(8 * place) + number(content)
            if isinstance(content, int)
            else number(8 * place + 2) + number(len(content)) + content
        )
    return b"".join(parts)


def value_info(name: str, kind: int, *shape: str | int) -> bytes:
    sizes = [(1, message((1, size) if isinstance(size, int) else (2, size))) for size in shape]
    return message((1, name), (2, message((1, message((1, kind), (2, message(*sizes)))))))


def node(kind: str, inputs: tuple[str, ...], output: str, *attributes: bytes) -> tuple[int, bytes]:
    return 1, message(*((1, each) for each in inputs), (2, output), (4, kind), *((5, each) for each in attributes))


def onnx_model(table=TABLE, inputs=THREE, token_vectors=True) -> bytes:
    """ModelProto; the numbers of fields and types are those of onnx.proto."""
    along = message((1, "axes"), (8, 1), (20, 7))
    outputs = [value_info("pooled", 1, "batch", 4), value_info("last_hidden_state", 1, "batch", "sequence", 4)]
    graph = message(
        node("Gather", ("table", "input_ids"), "rows"),
        node("ReduceMean", ("rows",), "mean", along),
        node("Add", ("rows", "mean"), "last_hidden_state"),
        node("ReduceMax", ("rows",), "pooled", along, message((1, "keepdims"), (3, 0), (20, 2))),
        (2, "tiny"),
        (5, message((1, table.shape[0]), (1, table.shape[1]), (2, 1), (8, "table"), (9, table.tobytes()))),
        *((11, value_info(name, 7, "batch", "sequence")) for name in inputs),
        *((12, each) for each in outputs[: 1 + token_vectors]),
    )
    return message((1, 8), (7, graph), (8, message((1, ""), (2, 13))))


def tokenizer() -> bytes:
    """Whole words between [CLS] and [SEP]; it asks to be cut at 3 tokens and padded, as published ones do."""
    special = {name: {"id": name, "ids": [WORDS.index(name)], "tokens": [name]} for name in ("[CLS]", "[SEP]")}
    added = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    piece = {"Sequence": {"id": "A", "type_id": 0}}
    single = [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, piece, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}]
    padding = {"strategy": {"Fixed": 3}, "direction": "Right", "pad_to_multiple_of": None}
    content = {
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0},
        "padding": {**padding, "pad_id": 0, "pad_type_id": 0, "pad_token": "[UNK]"},
        "added_tokens": [{"id": WORDS.index(name), "content": name, **added} for name in special],
        "normalizer": None,
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {"type": "TemplateProcessing", "single": single, "pair": single, "special_tokens": special},
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": {word: place for place, word in enumerate(WORDS)}, "unk_token": "[UNK]"},
    }
    return json.dumps(content).encode()


@pytest.fixture
def folder(tmp_path) -> Path:
    return write(tmp_path / "tiny")


def write(folder: Path, **model) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "model.onnx").write_bytes(onnx_model(**model))
    (folder / "tokenizer.json").write_bytes(tokenizer())
    return folder


def expected(*words: str, pooling: str = "mean") -> np.ndarray:
    """The unit vector of one window, by the definition above."""
    rows = TABLE[[WORDS.index(word) for word in ("[CLS]", *words, "[SEP]")]]
    hidden = rows + rows.mean(axis=0)
    vector = hidden.mean(axis=0) if pooling == "mean" else hidden[0]
    return vector / np.linalg.norm(vector)


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_the_vector_is_pooled_over_the_tokens_with_the_special_ones_of_the_tokenizer(folder, pooling):
    found = Onnx(str(folder), pooling=pooling).embed(["leave day"])
    assert found.dtype == np.float32 and found[0] == pytest.approx(expected("leave", "day", pooling=pooling), abs=1e-6)


def test_rows_are_unit_or_zero_in_order_and_do_not_depend_on_their_neighbours(folder):
    embedder = Onnx(str(folder), window=8)
    vectors = embedder.embed(TEXTS)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 1, 1, 1, 1], abs=1e-6)
    assert all(np.array_equal(embedder.embed([text])[0], row) for text, row in zip(TEXTS, vectors, strict=True))
    assert np.array_equal(vectors[0], vectors[4])
    assert embedder.embed([]).shape == (0, 4)
    assert pickle.loads(pickle.dumps(embedder)) == embedder  # noqa: S301 - what loky does


def test_the_window_counts_the_special_tokens(folder):
    embedder = Onnx(str(folder), window=8)
    exact, over = "day " * 6, "day " * 6 + "stone"
    assert embedder.over_window([exact, over, ""]) == [False, True, False]
    assert Onnx(str(folder), window=9).over_window([over]) == [False]
    first, rest = expected(*["day"] * 6), expected("stone")
    assert Onnx(str(folder), window=8, overflow="truncate").embed([over])[0] == pytest.approx(first, abs=1e-6)
    assert embedder.embed([over])[0] == pytest.approx((first + rest) / np.linalg.norm(first + rest), abs=1e-6)


def test_a_special_token_in_a_text_is_text(folder):
    assert not np.allclose(Onnx(str(folder)).embed(["[SEP] stone"])[0], expected("[SEP]", "stone"))


def test_a_model_without_token_types_and_one_file_in_a_folder_of_its_own(tmp_path):
    folder = write(tmp_path / "tiny", inputs=THREE[:2])
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx/model.onnx")
    wanted = pytest.approx(expected("leave"), abs=1e-6)
    assert Onnx(str(folder)).embed(["leave"])[0] == wanted
    assert Onnx(str(folder / "onnx/model.onnx")).embed(["leave"])[0] == wanted


def test_the_identity_is_the_content_wherever_it_lies(folder, tmp_path):
    before = Onnx(str(folder)).model
    folder.rename(tmp_path / "moved")
    assert Onnx(str(tmp_path / "moved")).model == before
    assert Onnx(str(tmp_path / "moved" / "model.onnx")).model == before


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "model.onnx_data"])
def test_an_edited_file_is_another_model(folder, name):
    (folder / "model.onnx_data").write_bytes(b"weights")
    embedder = Onnx(str(folder))
    before = embedder.model
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content.replace(b"w", b"W") if name != "model.onnx" else onnx_model(table=-TABLE))
    os.utime(folder / name, ns=(1, 1))
    assert embedder.model != before


def test_an_edited_model_is_opened_again(folder):
    embedder = Onnx(str(folder))
    before = embedder.embed(["leave"])
    (folder / "model.onnx").write_bytes(onnx_model(table=-TABLE))
    os.utime(folder / "model.onnx", ns=(1, 1))
    assert np.array_equal(embedder.embed(["leave"]), -before)


@pytest.mark.parametrize(
    ("lost", "said"),
    [("", "there is no such file or folder"), ("model.onnx", "holds no model.onnx"), ("tokenizer.json", "no tokenizer.json")],
)
def test_what_is_not_there_is_named_before_any_work(folder, lost, said):
    if lost:
        (folder / lost).unlink()
    with pytest.raises(InputError, match=said):
        _ = Onnx(str(folder if lost else folder / "nowhere")).model


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ({"inputs": (*THREE, "position_ids")}, "asks for position_ids"),
        ({"token_vectors": False}, "no vector for each token"),
    ],
)
def test_a_model_of_another_kind_is_refused(tmp_path, model, said):
    with pytest.raises(InputError, match=said):
        Onnx(str(write(tmp_path / "tiny", **model))).embed(["leave"])


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_file_that_is_none_is_refused(folder, name):
    (folder / name).write_bytes(b"nothing of the kind")
    with pytest.raises(InputError, match=name):
        Onnx(str(folder)).embed(["leave"])


def test_a_text_that_the_model_fails_on_is_a_mistake_that_names_the_window(tmp_path):
    embedder = Onnx(str(write(tmp_path / "tiny", table=TABLE[:-1])))  # it has no row for stone, as others have none past theirs
    with pytest.raises(InputError, match=r"model.onnx: the model fails on 4 tokens; is its window smaller\? "):
        embedder.embed(["stone day"])


def test_nan_is_an_error(tmp_path):
    folder = write(tmp_path / "tiny", table=np.full_like(TABLE, np.nan))
    with pytest.raises(ValueError, match="NaN"):
        Onnx(str(folder)).embed(["leave"])


def test_a_window_of_nothing_is_refused():
    with pytest.raises(InputError, match="window=512"):
        Onnx("tiny", window=2)


RUN = ("--files", "docs", "--questions", "questions.json", "rag_type=search", "n_jobs=1", "embedder=onnx", "embedder.window=8")


def test_a_run_over_a_moved_model_embeds_nothing_and_over_an_edited_one_everything(project, folder):
    def run(path):
        done = project("run", *RUN, "retriever=dense", f"embedder.path={path}")
        assert done.code == 0
        counted = next(line for line in done.out.splitlines() if line.startswith("run: texts"))
        [setup] = json.loads((done.runs[0] / "report.json").read_text())["setups"]
        return counted.partition("embedded now ")[2].partition(",")[0], setup["id"]

    first, id = run(folder)
    assert first != "0"
    moved = folder.rename(folder.parent / "moved")
    assert run(moved) == ("0", id)
    (moved / "model.onnx").write_bytes(onnx_model(table=-TABLE))
    os.utime(moved / "model.onnx", ns=(1, 1))
    embedded, other = run(moved)
    assert embedded == first and other != id


def test_a_lost_model_is_one_of_the_mistakes_before_any_work_and_none_where_no_vector_is_needed(project):
    done = project("plan", *RUN, "retriever=dense", "embedder.path=nowhere", "chunker=word,page")
    assert done.code == 2
    assert done.err.count("embedder: path=nowhere: there is no such file or folder") == 1
    assert project("plan", *RUN, "retriever=bm25", "embedder.path=nowhere").code == 0
