"""Dense search of one question beside a bare product, and beside faiss."""

from collections.abc import Iterator

import numpy as np

from benchmarks.measuring import Comparison, Side, compared, in_turn
from ragsweep.index import Dense, best

DIMENSIONS, K, QUERIES = 384, 10, 50


def compare(times: int) -> Iterator[Comparison]:
    """10,000 and 100,000 vectors; questions one at a time."""
    import faiss

    faiss.omp_set_num_threads(1)
    for count in (10_000, 100_000):
        random = np.random.default_rng(7)
        vectors = random.standard_normal((count, DIMENSIONS), dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        asked = vectors[:QUERIES] + 0.05 * random.standard_normal((QUERIES, DIMENSIONS), dtype=np.float32)
        dense = Dense.build(np.arange(count), vectors)
        flat = faiss.IndexFlatIP(DIMENSIONS)
        flat.add(vectors)

        def ours(dense: Dense = dense, asked: np.ndarray = asked) -> list[list[int]]:
            return [[place for place, _ in best(dense.scores(each), K)] for each in asked]

        def bare(vectors: np.ndarray = vectors, asked: np.ndarray = asked) -> list[list[int]]:
            found = []
            for each in asked:
                scores = vectors @ each
                some = np.argpartition(scores, -K)[-K:]
                found.append(some[np.argsort(-scores[some])].tolist())
            return found

        def of_faiss(flat: faiss.IndexFlatIP = flat, asked: np.ndarray = asked) -> list[list[int]]:
            return [flat.search(each[None], K)[1][0].tolist() for each in asked]

        work = f"{QUERIES} questions one at a time, {count:,} x {DIMENSIONS}, best {K}"
        for against, other, bar in (
            ("matrix-vector product, argpartition", bare, 1.2),
            ("faiss IndexFlatIP.search, one thread", of_faiss, 1.1),
        ):
            if ours() != other():
                raise SystemExit(f"{against}: not the same best {K}")
            timed = in_turn(Side(ours), Side(other), times)
            note = f"{1000 * timed.ours / QUERIES:.2f} and {1000 * timed.other / QUERIES:.2f} ms a question"
            yield compared("dense", work, against, timed, bar, note)
