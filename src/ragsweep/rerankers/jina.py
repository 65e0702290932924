"""jina: a reranking model behind /v1/rerank, of Jina or of any server of that shape."""

from dataclasses import dataclass

from ragsweep.rerankers.served import Served


@dataclass(frozen=True)
class Jina(Served):
    """vLLM, llama.cpp and others by ``base_url``; see ``ragsweep.models.rerank`` for the shape."""

    model: str = "jina-reranker-v2-base-multilingual"
    base_url: str = "https://api.jina.ai/v1"
