"""In which order setups are begun."""

from types import SimpleNamespace

from ragsweep.generators.openai import OpenAI
from ragsweep.rag_types.adaptive import Adaptive
from ragsweep.rag_types.search import Search
from ragsweep.rag_types.simple import Simple
from ragsweep.sweep.run import longest_first


def test_the_longest_are_begun_first_and_equals_as_written(row):
    """A sweep over two processes that begins with the short ones ends with one process at work."""
    served = OpenAI(model="m", base_url="http://localhost:1/v1")
    setups = {
        "search": row(rag_type=Search()),
        "simple": row(rag_type=Simple()),
        "simple, wide": row(rag_type=Simple(), top_k=40),
        "served": row(rag_type=Simple(), generator=served),
        "adaptive": row(rag_type=Adaptive()),
        "served adaptive": row(rag_type=Adaptive(), generator=served),
    }
    jobs = [SimpleNamespace(name=name, setup=each.setup) for name, each in setups.items()]
    order = ["served adaptive", "served", "adaptive", "simple", "simple, wide", "search"]
    assert [job.name for job in longest_first(jobs)] == order
