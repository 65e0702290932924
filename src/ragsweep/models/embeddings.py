"""Vectors of texts, in the shape of OpenAI's ``/v1/embeddings``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ragsweep.errors import ServerError
from ragsweep.models.client import Client

if TYPE_CHECKING:
    from ragsweep.types import Matrix, Vector

SAME_COSINE = 0.999
"""Least cosine of the vectors of one text alone and in a batch, for ``verify_batch``."""


def embed(
    client: Client,
    model: str,
    texts: Sequence[str],
    batch_size: int = 32,
    dimensions: int | None = None,
    verify_batch: bool = False,
) -> "Matrix":
    """Shape (len(texts), d), float32, as the server gives them: not scaled, and a row of zeros is a vector too.

    ``dimensions`` is what to ask for, None what the model has; the first vector then fixes d. ``verify_batch`` embeds the
    first text of each batch once more, alone. Raises ServerError when a text has no usable vector after it was asked
    for once more, alone.
    """
    rows: list[Vector] = []
    for start in range(0, len(texts), batch_size):
        batch = texts[start : start + batch_size]
        vectors = _ask(client, model, batch, dimensions)
        for text, vector in zip(batch, vectors, strict=True):
            length = dimensions or (len(rows[0]) if rows else _first_length(vectors))
            if vector is None or len(vector) != length:
                vector = _alone(client, model, text, dimensions, length)
            rows.append(vector)
        if verify_batch:
            _verify(client, model, batch[0], rows[start], dimensions)
    return np.stack(rows) if rows else np.zeros((0, dimensions or 0), np.float32)


def _ask(client: Client, model: str, texts: Sequence[str], dimensions: int | None) -> "list[Vector | None]":
    """A vector a text, None where what came back for it is none; ordered by ``index``, whatever the order of the reply."""
    body = {"model": model, "input": list(texts), **({"dimensions": dimensions} if dimensions else {})}

    def read(reply: Any) -> "list[Vector | None]":
        given = reply["data"]
        if len(given) != len(texts):
            raise ValueError(f"{len(given)} vectors for {len(texts)} texts")
        by_index = {one.get("index", place): one.get("embedding") for place, one in enumerate(given)}
        if by_index.keys() != set(range(len(texts))):
            raise ValueError(f"the index of the vectors is not 0 to {len(texts) - 1}")
        return [_vector(by_index[place]) for place in range(len(texts))]

    return client.call("/embeddings", body, read)


def _vector(given: Any) -> "Vector | None":
    try:
        with np.errstate(over="ignore"):
            vector = np.array(given, dtype=np.float32)  # null is NaN here, and 1e99 infinity
    except (TypeError, ValueError, OverflowError):
        return None
    return vector if vector.ndim == 1 and vector.size and np.isfinite(vector).all() else None


def _first_length(vectors: "Sequence[Vector | None]") -> int | None:
    return next((len(vector) for vector in vectors if vector is not None), None)


def _alone(client: Client, model: str, text: str, dimensions: int | None, length: int | None) -> "Vector":
    (vector,) = _ask(client, model, [text], dimensions)
    if vector is not None and (length is None or len(vector) == length):
        return vector
    what = "no vector of finite numbers" if vector is None else f"{len(vector)} numbers where others have {length}"
    raise ServerError(
        f"{client.server.base_url}/embeddings: {model} gives {what} for the text {text[:60]!r}, also alone", "reply"
    )


def _verify(client: Client, model: str, text: str, vector: "Vector", dimensions: int | None) -> None:
    alone = _alone(client, model, text, dimensions, len(vector))
    lengths = float(np.linalg.norm(alone) * np.linalg.norm(vector))
    cosine = float(alone @ vector) / lengths if lengths else float(not alone.any() and not vector.any())
    if not cosine > SAME_COSINE:
        raise ServerError(
            f"{client.server.base_url}/embeddings: {model} gives another vector for {text[:60]!r} alone than in a batch "
            f"(cosine {cosine:.4f}): write batch_size=1",
            "reply",
        )
