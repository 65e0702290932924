from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsweep.errors import RagsweepError
from ragsweep.text import wordpiece
from ragsweep.text.wordpiece import CLS, SEP, SPECIAL_TOKENS, count_tokens, encode, token_spans


def test_ids_are_those_of_bert_uncased() -> None:
    assert encode(["Hello world!", "[CLS]"]) == [[7592, 2088, 999], [1031, 18856, 2015, 1033]]


def test_special_tokens_are_what_the_file_puts_around_a_text() -> None:
    ids = wordpiece._tokenizer().encode("leave").ids
    assert (ids[0], ids[-1], len(ids)) == (CLS, SEP, 1 + SPECIAL_TOKENS)


def test_the_truncation_and_padding_of_the_file_are_off() -> None:
    assert count_tokens(["day " * 600, "day", ""]) == [600, 1, 0]
    assert [len(ids) for ids in encode(["day " * 600, "day"])] == [600, 1]
    assert len(token_spans("day " * 600)) == 600


def test_offsets_are_code_points() -> None:
    text = "𠮷 Café naïve 日本"
    assert [text[start:end] for start, end in token_spans(text)] == ["𠮷", "Café", "naive".replace("i", "ï"), "日", "本"]


@given(st.text(max_size=60))
def test_offsets_ids_and_counts_agree(text: str) -> None:
    assert len(token_spans(text)) == len(encode([text])[0]) == count_tokens([text])[0]


def test_a_damaged_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = tmp_path / "minilm-tokenizer.json"
    damaged.write_bytes(wordpiece._FILE.read_bytes().replace(b'"hello"', b'"hallo"'))
    monkeypatch.setattr(wordpiece, "_FILE", damaged)
    with pytest.raises(RagsweepError, match=r"minilm-tokenizer.json is damaged .* install ragsweep again"):
        wordpiece._tokenizer.__wrapped__()
