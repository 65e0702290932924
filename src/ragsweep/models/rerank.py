"""Relevance of texts to a query, in the shape of Cohere, Jina, vLLM and llama.cpp, and in that of Voyage.

The request is the same: no number of results is asked for, so all come back. Voyage calls them ``data``, others ``results``.
"""

import math
from collections.abc import Sequence
from typing import Any

from ragsweep.models.client import Client


def relevance(client: Client, model: str, query: str, texts: Sequence[str]) -> list[float]:
    """The score of each text, in the order given; higher is better, on a scale of the model's own.

    Raises ServerError unless every text has one finite score.
    """
    if not texts:
        return []

    def read(reply: Any) -> list[float]:
        given = reply["results"] if "results" in reply else reply["data"]
        scores = {one["index"]: one["relevance_score"] for one in given}
        if len(given) != len(texts) or scores.keys() != set(range(len(texts))):
            raise ValueError(f"{len(given)} scores for {len(texts)} texts, or one of them twice")
        if not all(isinstance(score, int | float) and math.isfinite(score) for score in scores.values()):
            raise ValueError("a score is no finite number")
        return [float(scores[place]) for place in range(len(texts))]

    return client.call("/rerank", {"model": model, "query": query, "documents": list(texts)}, read)
