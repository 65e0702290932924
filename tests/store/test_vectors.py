import pickle
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ragsweep.errors import StoreError
from ragsweep.store import Store

IDENTITY = {"name": "minilm", "version": 1, "overflow": "pool"}
TEXT = st.text(st.characters(exclude_categories=()), max_size=8)  # lone surrogates too
NUMBER = st.floats(-1, 1, width=32)
FILL = """
import sys
from pathlib import Path
import numpy as np
from ragsweep.store import Store

def embed(texts):
    print("embedding", *texts, flush=True)
    if sys.argv[1] == "wait":
        sys.stdin.read()
    yield texts, np.ones((len(texts), 2), np.float32), np.ones(len(texts))

store = Store(Path("store"), warn=sys.exit, waiting=lambda text: print(text, flush=True)).vectors({"name": "slow"})
store.fill(sys.argv[2:], embed)
print(store.found, store.embedded, flush=True)
"""


@pytest.fixture
def warnings() -> list[str]:
    return []


@pytest.fixture
def open_vectors(tmp_path, warnings):
    """Opens the vectors of an embedder as another process would, and closes all at the end."""
    opened = []

    def open_again(identity=IDENTITY):
        opened.append(Store(tmp_path / "store", warn=warnings.append).vectors(identity))
        return opened[-1]

    yield open_again
    for vectors in opened:
        vectors.close()


def axes(texts):
    """A vector that tells the text, and its length as seconds."""
    return np.array([[len(text), sum(map(ord, text))] for text in texts], np.float32), np.array([float(len(t)) for t in texts])


def embed(texts):
    for start in range(0, len(texts), 2):
        yield texts[start : start + 2], *axes(texts[start : start + 2])


def the_file(tmp_path: Path) -> Path:
    (path,) = (tmp_path / "store" / "vectors").glob("*.sqlite")
    return path


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_vectors_come_back_bit_by_bit(tmp_path_factory, data):
    texts = data.draw(st.lists(TEXT, unique=True, min_size=1, max_size=5))
    matrix = data.draw(arrays(np.float32, (len(texts), 3), elements=NUMBER))
    seconds = data.draw(arrays(np.float64, len(texts), elements=st.floats(0, 100)))
    asked = data.draw(st.lists(st.sampled_from(texts) | TEXT, max_size=8))
    vectors = Store(tmp_path_factory.mktemp("store"), warn=pytest.fail).vectors(IDENTITY)
    vectors.put(texts, matrix, seconds)
    got, took, found = vectors.get(asked)
    vectors.close()
    assert found.tolist() == [text in texts for text in asked]
    assert (got.dtype, got.shape[0], took.shape) == (np.float32, len(asked), (len(asked),))
    for row, spent, text in zip(got, took, asked, strict=True):
        place = texts.index(text) if text in texts else None
        assert row.tobytes() == (np.zeros(len(row), np.float32) if place is None else matrix[place]).tobytes()
        assert spent == (0 if place is None else seconds[place])


def test_fill_embeds_each_missing_text_once(open_vectors):
    vectors = open_vectors()
    vectors.fill(["a", "b", "a", "c"], embed)
    assert (vectors.found, vectors.embedded, len(vectors)) == (0, 3, 3)
    again = open_vectors()
    asked = []
    again.fill(["c", "dd", "a"], lambda texts: (asked.extend(texts), embed(texts))[1])
    again.fill(["c", "dd", "a"], pytest.fail)
    assert asked == ["dd"]
    assert (again.found, again.embedded, len(again)) == (5, 1, 4)
    matrix, seconds, found = again.get(["dd", "a"])
    assert found.all()
    assert (matrix.tolist(), seconds.tolist()) == ([[2, 200], [1, 97]], [2, 1])


def test_a_batch_that_came_before_a_failure_is_kept(open_vectors):
    def fails(texts):
        yield texts[:1], *axes(texts[:1])
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        open_vectors().fill(["a", "b"], fails)
    assert open_vectors().get(["a", "b"])[2].tolist() == [True, False]


def test_another_identity_is_another_file(open_vectors):
    open_vectors().put(["a"], *axes(["a"]))
    assert len(open_vectors({**IDENTITY, "version": 2})) == 0
    assert len(open_vectors(dict(reversed(IDENTITY.items())))) == 1


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused(open_vectors, bad):
    vectors = open_vectors()
    with pytest.raises(StoreError, match="vector of 'b' holds NaN or infinity"):
        vectors.put(["a", "b"], np.array([[1, 2], [bad, 0]], np.float32), np.zeros(2))
    assert len(vectors) == 0


@pytest.mark.parametrize("shape", [(1, 2), (3, 2), (2,)])
def test_a_vector_per_text_is_asked_for(open_vectors, shape):
    with pytest.raises(StoreError, match="2 texts were embedded to vectors of shape"):
        open_vectors().put(["a", "b"], np.ones(shape, np.float32), np.zeros(2))


def test_the_first_dimension_fixes_the_others(open_vectors):
    open_vectors().put(["a"], np.ones((1, 2), np.float32), np.zeros(1))
    with pytest.raises(StoreError, match="3 dimensions, and 2 before"):
        open_vectors().put(["b"], np.ones((1, 3), np.float32), np.zeros(1))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE vectors SET vector = x'0000803f00000000' WHERE seconds = 2",
        "UPDATE vectors SET vector = 'text' WHERE seconds = 2",
        "UPDATE vectors SET vector = NULL WHERE seconds = 2",
        "UPDATE vectors SET seconds = 2.5 WHERE seconds = 2",
        "UPDATE vectors SET seconds = 'x' WHERE seconds = 2",
        "UPDATE vectors SET tokens = 5 WHERE seconds = 2",
        "UPDATE vectors SET tokens = 'x' WHERE seconds = 2",
        "UPDATE vectors SET checksum = 0 WHERE seconds = 2",
    ],
)
def test_a_damaged_row_is_a_missing_one_with_one_warning(open_vectors, tmp_path, warnings, statement):
    texts = ["a", "bb", "ccc"]
    vectors = open_vectors()
    vectors.fill(texts, embed)
    vectors.close()
    with sqlite3.connect(the_file(tmp_path)) as database:
        assert database.execute(statement).rowcount == 1
    database.close()
    vectors = open_vectors()
    vectors.fill(texts, embed)
    matrix, seconds, found = vectors.get(texts)
    assert (vectors.embedded, len(warnings), found.all()) == (1, 1, True)
    assert (matrix.tolist(), seconds.tolist()) == tuple(part.tolist() for part in axes(texts))


class Sting:
    def __reduce__(self):
        return print, ("stung",)


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
        lambda path: path.write_bytes(path.read_bytes()[:1]),
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"\0" * 100 + path.read_bytes()[100:]),
        lambda path: path.write_bytes(path.read_bytes()[:4096] + b"\xff" * 4096 + path.read_bytes()[8192:]),
        lambda path: path.write_bytes(path.read_bytes().replace(b"checksum", b"checkzum")),
        lambda path: path.write_bytes(path.read_bytes().replace(b"minilm", b"minilN")),
        lambda path: path.write_bytes(pickle.dumps(Sting())),
        lambda path: (path.unlink(), path.mkdir()),
        lambda path: (path.rename(path.with_name("elsewhere")), path.symlink_to("elsewhere")),
    ],
)
def test_a_damaged_file_is_put_aside_with_one_warning(open_vectors, tmp_path, warnings, capfd, damage):
    texts = [chr(97 + place) * place for place in range(1, 20)]
    vectors = open_vectors()
    vectors.fill(texts, embed)
    vectors.close()
    damage(the_file(tmp_path))
    vectors = open_vectors()
    vectors.fill(texts, embed)
    assert (vectors.embedded, len(warnings), len(vectors)) == (19, 1, 19)
    assert vectors.get(texts)[0].tolist() == axes(texts)[0].tolist()
    open_vectors().fill(texts, pytest.fail)
    assert len(list((tmp_path / "store" / "quarantine").iterdir())) == 1
    assert capfd.readouterr().out == ""


def test_check_names_damage_and_leaves_what_another_release_wrote(open_vectors, tmp_path, warnings, monkeypatch):
    with monkeypatch.context() as context:
        context.setattr("ragsweep.store.vectors.FORMAT", 99)
        open_vectors().put(["a"], *axes(["a"]))
    foreign = the_file(tmp_path)
    vectors = open_vectors()
    vectors.fill(["a", "bb"], embed)
    vectors.close()
    store = Store(tmp_path / "store", warn=warnings.append)
    assert (store.check(), warnings) == (1, [])
    own = store.vectors(IDENTITY).path
    with sqlite3.connect(own) as database:
        database.execute("UPDATE vectors SET seconds = 5 WHERE seconds = 2")
    database.close()
    assert store.check() == 0
    assert warnings == [f"{own}: vectors that are damaged: 1; their texts are embedded again when they are needed"]
    own.write_bytes(b"no database" * 20)
    assert store.check() == 0
    assert f"{own}: damaged; moved to " in warnings[1]
    assert foreign.exists()
    assert (store.check(), len(warnings)) == (0, 2)


@settings(max_examples=40, deadline=None)  # 5,000 were tried once
@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_no_flipped_bit_gives_a_wrong_vector(tmp_path_factory, place, bit):
    folder = tmp_path_factory.mktemp("flip")
    texts = [chr(97 + place) * place for place in range(1, 20)]
    vectors = Store(folder, warn=lambda text: None).vectors(IDENTITY)
    vectors.fill(texts, embed)
    vectors.close()
    (path,) = (folder / "vectors").glob("*.sqlite")
    data = bytearray(path.read_bytes())
    data[int(place * len(data))] ^= 1 << bit
    path.write_bytes(data)
    vectors.fill(texts, embed)
    matrix, seconds, found = vectors.get(texts)
    vectors.close()
    assert found.all()
    assert (matrix.tolist(), seconds.tolist()) == tuple(part.tolist() for part in axes(texts))


def start(folder, *arguments):
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", FILL, *arguments], cwd=folder, stdin=pipe, stdout=pipe, text=True)


def test_two_runs_embed_each_text_once(tmp_path):
    with start(tmp_path, "wait", "a", "b") as first:
        assert first.stdout.readline() == "embedding a b\n"
        with start(tmp_path, "go", "b", "c", "a") as second:
            assert f"waiting for process {first.pid} on" in second.stdout.readline()
            assert first.communicate("")[0] == "0 2\n"
            assert second.communicate()[0] == "embedding c\n2 1\n"


def test_a_killed_embedder_leaves_the_lock_free(tmp_path):
    with start(tmp_path, "wait", "a") as first:
        first.stdout.readline()
        first.kill()
    with start(tmp_path, "go", "a") as second:
        assert second.communicate()[0] == "embedding a\n0 1\n"


def test_tokens_are_kept_as_they_were_told(open_vectors):
    texts = ["a", "bb", "ccc"]
    open_vectors().put(texts, *axes(texts), [7, 0, None])
    open_vectors().put(["dddd"], *axes(["dddd"]))
    vectors = open_vectors()
    assert vectors.tokens(["ccc", "bb", "a", "dddd", "lost", "a"]) == [None, 0, 7, None, None, 7]
    assert vectors.missing(["a", "lost"]) == ["lost"]
