"""voyage: a reranking model behind Voyage's /v1/rerank."""

from dataclasses import dataclass

from ragsweep.rerankers.served import Served


@dataclass(frozen=True)
class Voyage(Served):
    """See ``ragsweep.models.rerank`` for the shape."""

    model: str = "rerank-2.5"
    base_url: str = "https://api.voyageai.com/v1"
