"""A client and a server of HTTP/2, connected, for tests."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from roadstead_host.http.h2_client import ClientConnection, Exchange
from roadstead_host.http.h2_heads import RequestHead, ResponseHead
from roadstead_host.http.h2_server import Answer, ServerConnection
from roadstead_host.http.h2_stream import Stream
from roadstead_host.http.hpack import Header

# No test waits longer for what it waits for.
PATIENCE_S = 20

__all__ = ["Pair", "Stream", "connected", "read_all", "request", "run"]


@dataclass(frozen=True)
class Pair:
    client: ClientConnection
    server: ServerConnection

    async def ask(self, method: str, path: str, body: bytes | None = None) -> tuple[ResponseHead, bytes]:
        """Asks, and reads the whole answer."""
        exchange = await self.begin(method, path, ends_stream=body is None)
        sending = asyncio.ensure_future(_send(exchange, body))
        head = await exchange.head()
        answered = await read_all(exchange.stream)
        await sending
        return head, answered

    async def begin(
        self, method: str, path: str, *, ends_stream: bool = True, more: Sequence[Header] = ()
    ) -> Exchange:
        return await self.client.ask([*request(method, path), *more], ends_stream=ends_stream)


async def _send(exchange: Exchange, body: bytes | None) -> None:
    if body is not None:
        await exchange.stream.send(body, ends_stream=True)


def request(method: str, path: str) -> list[Header]:
    return [
        (b":method", method.encode()),
        (b":scheme", b"http"),
        (b":authority", b"agents.example"),
        (b":path", path.encode()),
    ]


async def read_all(stream: Stream) -> bytes:
    pieces = []
    while (piece := await stream.receive()) is not None:
        pieces.append(piece)
    return b"".join(pieces)


@asynccontextmanager
async def connected(answer: Answer | Callable[[RequestHead, Stream], Awaitable[None]]) -> AsyncIterator[Pair]:
    ours, theirs = socket.socketpair()
    server = await ServerConnection.open(theirs, lambda: ServerConnection(answer))
    client = await ClientConnection.open(ours, ClientConnection)
    try:
        yield Pair(client, server)
    finally:
        client.close()
        server.close()


def run(work: Awaitable[None]) -> None:
    """Runs what a test does in a loop of its own."""

    async def bounded() -> None:
        await asyncio.wait_for(work, PATIENCE_S)

    asyncio.run(bounded())
