"""cohere: a reranking model behind Cohere's /v2/rerank."""

from dataclasses import dataclass

from ragsweep.rerankers.served import Served


@dataclass(frozen=True)
class Cohere(Served):
    """See ``ragsweep.models.rerank`` for the shape."""

    model: str = "rerank-v3.5"
    base_url: str = "https://api.cohere.com/v2"
