"""Clients of the LangGraph SDK without an address, and the engine that answers them."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from roadstead_host.http.h2_heads import RequestHead
from roadstead_host.http.h2_server import ServerConnection
from roadstead_host.http.h2_stream import Stream
from roadstead_host.http.loopback import Loopback
from roadstead_host.http.loopback_transports import AsyncLoopbackTransport, SyncLoopbackTransport
from support.h2_pair import read_all, run

SOURCE = Path(__file__).parents[2] / "src"


class Engine:
    """Answers like an engine, on a thread of its own."""

    def __init__(self) -> None:
        self.ours, self._theirs = socket.socketpair()
        self.heard: list[tuple[str, str, dict[bytes, bytes], bytes]] = []
        self.ended: list[int] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        opening = ServerConnection.open(self._theirs, lambda: ServerConnection(self._answer))
        asyncio.run_coroutine_threadsafe(opening, self._loop).result()

    async def _answer(self, head: RequestHead, stream: Stream) -> None:
        path = head.path.decode()
        self.heard.append((head.method.decode(), path, dict(head.headers), await read_all(stream)))
        if path == "/never":
            await stream.ended
            self.ended.append(1)
            return
        stream.send_headers([(b":status", b"200"), (b"content-type", b"application/json")])
        if path == "/cut":
            await stream.send(b"[1,")
            return
        await stream.send(b'[{"n":1}]', ends_stream=True)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._theirs.close()


@pytest.fixture
def engine() -> Iterator[Engine]:
    opened = Engine()
    yield opened
    opened.close()


def sync_client(engine: Engine) -> httpx.Client:
    return httpx.Client(
        base_url="http://deployment", transport=SyncLoopbackTransport(Loopback(lambda: engine.ours))
    )


def async_client(engine: Engine) -> httpx.AsyncClient:
    transport = AsyncLoopbackTransport(Loopback(lambda: engine.ours))
    return httpx.AsyncClient(base_url="http://deployment", transport=transport)


def test_when_code_that_blocks_the_loop_asks_then_it_is_answered(engine: Engine) -> None:
    async def work() -> None:
        answered = sync_client(engine).post("/threads?x=1", json={"a": 1}, headers={"X-Api-Key": "k"})
        assert answered.json() == [{"n": 1}]

    run(work())
    [(method, path, headers, body)] = engine.heard
    assert (method, path, headers[b"x-api-key"], body) == ("POST", "/threads?x=1", b"k", b'{"a":1}')
    assert b"host" not in headers
    assert b"connection" not in headers


def test_when_many_ask_at_once_then_each_is_answered(engine: Engine) -> None:
    async def work() -> None:
        async with async_client(engine) as client:
            answers = await asyncio.gather(
                *(client.put(f"/{at}", content=b"x" * 100_000) for at in range(20))
            )
        assert {answer.status_code for answer in answers} == {200}

    run(work())
    assert sorted(len(body) for *_, body in engine.heard) == [100_000] * 20


def test_when_a_call_is_cancelled_then_the_engine_hears_it(engine: Engine) -> None:
    async def work() -> None:
        async with async_client(engine) as client:
            asking = asyncio.ensure_future(client.get("/never"))
            while not engine.heard:
                await asyncio.sleep(0)
            asking.cancel()
            while not engine.ended:
                await asyncio.sleep(0)

    run(work())


def test_when_an_answer_is_cut_then_its_reader_hears_it(engine: Engine) -> None:
    with pytest.raises(httpx.ReadError, match="did not answer"):
        sync_client(engine).get("/cut")


def test_when_there_is_no_engine_then_a_call_fails_in_words(engine: Engine) -> None:
    engine.close()
    with pytest.raises(httpx.ConnectError, match="did not answer"):
        sync_client(engine).get("/")


PROGRAM = """
import asyncio, socket, sys
from roadstead_host.http.sdk_clients import provide_loopback
provide_loopback(lambda: socket.socket(fileno=int(sys.argv[1])))
assert not any(name.startswith('langgraph_sdk') for name in sys.modules)
assert 'roadstead_host.http.loopback' not in sys.modules
from langgraph_sdk import get_client, get_sync_client
from langgraph_sdk.client import get_client as same
assert get_client is same and get_client.__name__ == 'get_client'
async def main():
    print(await get_client().assistants.search(), get_sync_client().assistants.search())
    print(get_client(url='http://elsewhere.example').http.client.base_url)
asyncio.run(main())
"""


def test_when_clients_are_given_no_address_then_they_reach_the_deployment(engine: Engine) -> None:
    descriptor = engine.ours.fileno()
    output = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(descriptor)],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        pass_fds=[descriptor],
        capture_output=True,
        text=True,
        check=False,
    )
    assert output.stderr == ""
    assert output.stdout.splitlines() == ["[{'n': 1}] [{'n': 1}]", "http://elsewhere.example"]
    assert [path for _, path, *_ in engine.heard] == ["/assistants/search"] * 2
