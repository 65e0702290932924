"""Texts to vectors in several processes, with what each took: its seconds and, from a model server, its tokens."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cache
from itertools import accumulate, pairwise
from time import perf_counter
from typing import TYPE_CHECKING, cast

import numpy as np

from ragsweep.models import calls
from ragsweep.parts import Embedder
from ragsweep.store.vectors import Batch
from ragsweep.sweep.pool import run_again
from ragsweep.sweep.progress import track

if TYPE_CHECKING:
    from ragsweep.types import Matrix

BATCH = 64
"""Texts an embedding task; small, so that both workers stay busy to the end and a killed run loses little."""


def embedded(
    embed: Callable[[Embedder, Sequence[str]], Batch], embedder: Embedder, what: str, n_jobs: int, texts: list[str]
) -> Iterator[Batch]:
    """The batches of ``texts`` as they are done. Long texts go first, so that no worker is left with them at the end."""
    ordered = sorted(texts, key=len, reverse=True)
    size = max(1, min(BATCH, len(ordered) // (4 * n_jobs)))
    tasks = [(embedder, ordered[start : start + size]) for start in range(0, len(ordered), size)]
    yield from track(
        (batch for _, batch in run_again(embed, tasks, n_jobs)), what, len(texts), size=lambda batch: len(batch[0])
    )


def embed_passages(embedder: Embedder, texts: Sequence[str]) -> Batch:
    """The vectors of a batch; of its seconds an equal share for each text, of its tokens one by length."""
    matrix, seconds, tokens = _measured(embedder, texts)
    each = shares(tokens, texts) if tokens is not None else [None] * len(texts)
    return texts, matrix, np.full(len(texts), seconds / len(texts)), each


def embed_queries(embedder: Embedder, texts: Sequence[str]) -> Batch:
    """The vectors of a batch, each embedded alone after a warm-up, as it would be when it is asked, with what it took.

    A server is not warmed up: that would be a call that nobody asked for.
    """
    if "server" not in embedder.needs:
        _warm_up(cast(Hashable, embedder))
    rows, seconds, tokens = zip(*(_measured(embedder, [text]) for text in texts), strict=True)
    return texts, np.concatenate(rows), np.array(seconds), tokens


def shares(total: int, texts: Sequence[str]) -> list[int]:
    """``total`` in whole parts by the UTF-8 bytes of each text, which add up to it.

    >>> shares(10, ["aaaa", "bb", "cc"])
    [5, 3, 2]
    """
    ends = list(accumulate((len(text.encode("utf-8", "replace")) for text in texts), initial=0))
    marks = [round(total * end / (ends[-1] or 1)) for end in ends]
    return [after - before for before, after in pairwise(marks)] if ends[-1] else [0] * (len(texts) - 1) + [total]


def _measured(embedder: Embedder, texts: Sequence[str]) -> "tuple[Matrix, float, int | None]":
    """The vectors, the seconds that they took without what calls to a server waited, and the tokens that it counted."""
    with calls.recorded() as made:
        start = perf_counter()
        matrix = embedder.embed(texts)
        seconds = perf_counter() - start - sum(call.waited for call in made)
    told = [call.input_tokens for call in made]
    known = [tokens for tokens in told if tokens is not None]
    return matrix, seconds, sum(known) if told and len(known) == len(told) else None


@cache
def _warm_up(embedder: Hashable) -> None:
    """Once a process, and with a text of its own, so that every text asked for is embedded once."""
    cast(Embedder, embedder).embed(["warm-up"])
