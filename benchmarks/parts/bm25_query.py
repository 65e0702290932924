"""A keyword query beside bm25s."""

from collections.abc import Iterator

import numpy as np

from benchmarks.measuring import Comparison, Side, compared, in_turn, same
from benchmarks.texts import real_chunks
from ragsweep.index import Bm25Index, best
from ragsweep.text.keywords import keywords

K, QUERIES = 10, 200


def compare(times: int) -> Iterator[Comparison]:
    """10,000 and 100,000 chunks; queries of six words."""
    import bm25s

    for count in (10_000, 100_000):
        chunks = real_chunks(count)
        index = Bm25Index.build(chunks)
        model = bm25s.BM25(k1=1.5, b=0.75, method="lucene", backend="numpy")
        model.index(bm25s.tokenization.Tokenized(*_ids(chunks)), show_progress=False)
        asked = [" ".join(chunk.split()[40:46]) for chunk in chunks[:: count // QUERIES]]
        terms = [keywords(each) for each in asked]

        def ours(index: Bm25Index = index, asked: list[str] = asked) -> list[list[tuple[int, float]]]:
            return [best(index.scores(each), K) for each in asked]

        def other(model: bm25s.BM25 = model, terms: list[list[str]] = terms) -> list[np.ndarray]:
            return [model.retrieve([each], k=K, show_progress=False, n_threads=0)[1][0] for each in terms]

        found = [sum(score for _, score in each) for each in ours()]
        same(f"{count} chunks: sum of the best scores", sum(found), float(sum(map(np.sum, other()))), within=1e-4)
        timed = in_turn(Side(ours), Side(other), times)
        work = f"{len(asked)} queries of 6 words, {count:,} chunks, best {K}"
        note = (
            f"{1000 * timed.ours / len(asked):.2f} and {1000 * timed.other / len(asked):.2f} ms a query; ours tokenises it too"
        )
        yield compared("bm25_query", work, "bm25s retrieve, query tokenised before", timed, 1.1, note)


def _ids(chunks: tuple[str, ...]) -> tuple[list[list[int]], dict[str, int]]:
    vocabulary: dict[str, int] = {}
    return [[vocabulary.setdefault(term, len(vocabulary)) for term in keywords(chunk)] for chunk in chunks], vocabulary
