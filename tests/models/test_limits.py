"""Limits hold for a server and all processes together; waiting for them is no service time."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event

from ragsweep.models.calls import recorded
from ragsweep.models.client import Client
from ragsweep.models.server import Limits, Server
from scripted_server import Reply, scripted

OK = Reply(body={"answer": 7}, delay=0.02)
CALL = """
import sys
from ragsweep.models.client import Client
from ragsweep.models.server import Limits, Server

client = Client(Server(sys.argv[1], limits=Limits(max_concurrent=2)))
for _ in range(5):
    assert client.call("/path", {}, lambda reply: reply["answer"]) == 7
"""


def test_processes_share_one_limit():
    """FAULTS G6: four workers and a server that takes two."""
    with scripted(OK) as server:
        command = [sys.executable, "-c", CALL, f"{server.url}/v1"]
        started = [subprocess.Popen(command) for _ in range(4)]
        assert [process.wait() for process in started] == [0] * 4
        assert (len(server.requests), server.most_at_once) == (20, 2)


def test_threads_share_it_too_and_another_path_of_the_server_as_well():
    with scripted(OK) as server:
        clients = [Client(Server(f"{server.url}/{version}", limits=Limits(max_concurrent=2))) for version in ("v1", "v2")]
        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(lambda n: clients[n % 2].call("/path", {}, lambda reply: reply["answer"]), range(24))) == {7}
        assert server.most_at_once == 2


def test_another_server_has_limits_of_its_own():
    free = Event()

    def busy(request):
        free.wait(60)
        return Reply(body={})

    with scripted(busy) as one, scripted(Reply(body={})) as other, ThreadPoolExecutor(1) as pool:
        limits = Limits(max_concurrent=1)
        running = pool.submit(Client(Server(one.url, limits=limits)).call, "/path", {}, dict)
        while not one.requests:
            pass
        Client(Server(other.url, limits=limits)).call("/path", {}, dict)
        assert not running.done()
        free.set()
        running.result()


def test_waiting_for_a_place_is_apart_and_outside_the_deadline():
    with scripted(Reply(body={}, delay=0.7)) as server, ThreadPoolExecutor(1) as pool:
        client = Client(Server(server.url, limits=Limits(max_concurrent=1, deadline=1.0)))
        first = pool.submit(client.call, "/path", {}, dict)
        while not server.requests:
            pass
        with recorded() as calls:
            client.call("/path", {}, dict)
        first.result()
    (call,) = calls
    assert call.waited > 0.3
    assert 0.7 <= call.seconds < 1.0 < call.seconds + call.waited


def test_requests_a_minute_are_spread_evenly(talk):
    one = talk(Reply(body={}), Reply(429, headers={"Retry-After": "1"}), Reply(body={}), requests_per_minute=30)
    one.clock.monotonic = lambda: sum(one.clock.slept)  # requests take no time: a slow machine would need less of a pause
    with recorded() as calls:
        for _ in range(2):
            one.client.call("/path", {}, dict)
    assert len(one.server.requests) == 3
    assert one.clock.slept == [2.0, 1.0, 1.0], "a retry is a request too"
    assert [call.waited for call in calls] == [0, 4]
