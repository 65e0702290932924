"""What is sent to an embedder for a query and for a passage. Stored vectors are those of the text as it was sent."""

from collections.abc import Iterable

from ragsweep.parts import Embedder


def as_queries(texts: Iterable[str], embedder: Embedder) -> list[str]:
    """The texts as the embedder is given them when they are asked."""
    return [embedder.query_prefix + text for text in texts]


def as_passages(texts: Iterable[str], embedder: Embedder) -> list[str]:
    """The texts as the embedder is given them when they are searched."""
    return [embedder.passage_prefix + text for text in texts]
