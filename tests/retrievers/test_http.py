"""A system that is asked over HTTP: what it is told, what becomes of its contexts, and of replies that are none."""

import time
from types import SimpleNamespace

import pytest

from ragsweep.contexts.locating import Locator
from ragsweep.errors import InputError, ServerError
from ragsweep.index import ABSENT, Incoming, Index
from ragsweep.models import calls
from ragsweep.models.client import Client
from ragsweep.models.server import Limits
from ragsweep.retrievers.http import Http
from ragsweep.setups import Setup, identity
from ragsweep.types import Document
from scripted_server import Reply, scripted

DOCUMENTS = {
    "a.md": Document("a.md", "Staff have 25 days. Ask HR.", ""),
    "b.pdf": Document("b.pdf", "First page.\n\nSecond page.", "", pages=((0, 11), (13, 25))),
}


@pytest.fixture
def asked():
    """Contexts as a system returns them -> the index of one question that asked it "How many?", and the ranking."""

    def ask(*replies, top_k=4, **fields):
        index = Index(ABSENT, DOCUMENTS, incoming=Incoming(Locator(DOCUMENTS))).of_question()
        with scripted(*(reply if isinstance(reply, Reply) else Reply(body=reply) for reply in replies)) as ask.server:
            part = Http(f"{ask.server.url}/search", limits=Limits(retries=0), **fields)
            rankings = [part.rank(index, "How many?", None, top_k, top_k) for _ in replies]
        return index, rankings

    return ask


def hits(index, ranking):
    return [(hit.document, hit.start, hit.end, hit.score) for hit in (index.hit(*ranked) for ranked in ranking)]


def test_a_question_and_k_are_posted_and_contexts_come_back_in_its_order(asked):
    contexts = [{"text": "ASK hr.", "score": 0.1}, {"source": "/srv/b.pdf", "page": 2, "rank": 7}, "25 days"]
    index, (ranking,) = asked({"contexts": contexts, "trace": "abc"}, top_k=9)
    assert [(request.path, request.json) for request in asked.server.requests] == [
        ("/search", {"question": "How many?", "k": 9})
    ]
    assert hits(index, ranking) == [("a.md", 20, 27, 0.1), ("b.pdf", 13, 25, 0.0), ("a.md", 11, 18, 0.0)]
    assert [index.passage(place) for place, _ in ranking] == ["ASK hr.", "Second page.", "25 days"]
    assert index.incoming.counts == {"returned": 3, "path": 1, "page": 1, "over": 0, "unsorted": 0}


def test_what_is_nowhere_takes_its_rank_and_a_copy_one_of_its_own_and_what_is_behind_k_none(asked):
    contexts = ["of its own", "Ask HR.", "Ask HR.", {"text": "it too", "source": "a.md"}, "25 days"]
    index, (ranking,) = asked(contexts)
    assert hits(index, ranking) == [("", 1, 11, 0.0), ("a.md", 20, 27, 0.0), ("a.md", 20, 27, 0.0), ("a.md", 28, 34, 0.0)]
    assert [place for place, _ in ranking] == [0, 1, 2, 3]
    assert index.incoming.outside == {"": "\nof its own", "a.md": "\nit too"}
    assert (index.incoming.counts["nowhere"], index.incoming.counts["over"]) == (2, 1)


def test_a_context_of_two_searches_is_one_chunk_and_the_next_question_has_none(asked):
    index, rankings = asked([{"text": "Ask HR.", "score": 2.0}, "gone"], ["25 days", {"text": "Ask HR.", "score": 1.0}])
    assert rankings == [[(0, 2.0), (1, 0.0)], [(2, 0.0), (0, 1.0)]]
    assert index.incoming.counts["returned"] == len(index) == 3
    assert len(index.of_question()) == 0
    assert index.of_question().incoming.outside == {}


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ([], []),
        (Reply(body='[{"text": "25 days", "score": NaN}]'), [("a.md", 11, 18, 0.0)]),
        ([{"source": "a.md", "start": 0, "end": 99}], [("a.md", 0, 0, 0.0)]),
        ([{"source": "other.md", "text": "Ask HR."}], [("", 1, 8, 0.0)]),
        ([{"source": "b.pdf", "page": 9, "text": "25 days"}], [("b.pdf", 26, 33, 0.0)]),
        (["x" * 1_000_000], [("", 1, 1_000_001, 0.0)]),
    ],
    ids=lambda value: str(value)[:40],
)
def test_places_that_there_are_not_cost_no_question(asked, reply, told):
    index, (ranking,) = asked(reply)
    assert hits(index, ranking) == told


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(body="<html>Welcome</html>"), "that is no JSON"),
        ({"answer": "25 days"}, "it has no contexts"),
        ({"contexts": None}, "it has no contexts"),
        ({"contexts": "25 days"}, "contexts: '25 days': write a list"),
        (Reply(body='"25 days"'), "it is no list of contexts, and no object with them"),
        (Reply(body="null"), "it is no list of contexts, and no object with them"),
        ([5], "contexts[0]: 5: write a text, or"),
        ([{"txt": "25 days"}], "contexts[0]: write its text, its source, or both"),
        ([{"text": "25 days", "score": "high"}], "contexts[0].score: 'high': write a number"),
        (Reply(body='[{"text": "25 days", "score": 1e999}]'), "contexts[0].score: inf: write a number"),
        ([{"source": "b.pdf", "page": 0}], "contexts[0].page: 0: write a whole number; pages begin at 1"),
        ([{"source": "a.md", "start": 3}], "contexts[0]: write start and end, or none of them"),
        ({"error": "index not loaded"}, "that is an error"),
        (Reply(401), "key_env"),
        (Reply(404), "answered 404"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_reply_of_which_nothing_can_be_made_is_an_error_and_asked_for_once(asked, reply, said):
    with pytest.raises(ServerError) as caught:
        asked(reply)
    assert said in str(caught.value)
    assert len(asked.server.requests) == 1


def test_finding_contexts_takes_no_seconds_of_the_system(asked, monkeypatch):
    now = [0.0]

    def take(self, contexts, most):
        now[0] += 5.0
        return []

    monkeypatch.setattr(Incoming, "take", take)
    monkeypatch.setattr(Client.__init__, "__defaults__", (SimpleNamespace(monotonic=lambda: now[0], time=time.time),))
    with calls.recorded() as made:
        asked(["25 days"])
    assert [(call.seconds, call.waited) for call in made] == [(0.0, 5.0)]


def test_a_key_that_it_tells_is_kept_nowhere(asked, monkeypatch):
    monkeypatch.setenv("SEARCH_KEY", "canary-of-the-system")
    index, _ = asked(["my key is canary-of-the-system", "Basic coverage"], key_env="SEARCH_KEY")
    assert asked.server.requests[0].headers["authorization"] == "Bearer canary-of-the-system"
    assert index.incoming.outside == {"": "\nmy key is [secret]\nBasic coverage"}, "no key, though it looks like a header"


def test_a_file_alone_is_nothing_to_read(asked):
    index, _ = asked([{"source": "a.md"}])
    with pytest.raises(InputError, match="context 1 names a file alone, so there is nothing to read: have the system return"):
        index.passage(0)


def test_its_name_is_its_identity_and_without_one_its_address():
    one, other = "http://localhost:1/search", "http://localhost:2/search/"
    assert Http(other).model == "http://localhost:2/search"
    assert identity(Http(one)) != identity(Http(other))
    assert identity(Http(one, "ours")) == identity(Http(other, "ours", "SEARCH_KEY", Limits(retries=0)))
    assert identity(Http(one, "ours")) != identity(Http(one, "ours-2"))
    assert Setup.restore(Setup(None, None, None, Http(one), None, None, 9, 5, None).describe()).retriever == Http(one)


@pytest.mark.parametrize("url", ["localhost:1/search", "http://me:secret@host/x", "http://host/x?index=2"])
def test_an_address_that_is_none(url):
    with pytest.raises(InputError, match="base_url="):
        Http(url)
