"""How the project's code calls its own deployment: over a connection that the engine answers."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, TypeVar

from .h2_client import ClientConnection, Exchange
from .h2_errors import ErrorCode
from .h2_heads import CONNECTION_FIELDS, ResponseHead
from .hpack import Header

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Question:
    """A request of the project's code, whole."""

    method: bytes
    # With the query.
    path: bytes
    headers: Sequence[Header]
    body: bytes


class Answer:
    """The head of an answer, whose body comes as it is read; from any thread."""

    def __init__(self, loopback: Loopback, exchange: Exchange, head: ResponseHead) -> None:
        self.status = head.status
        self.headers = head.headers
        self._loopback = loopback
        self._exchange = exchange

    def read(self) -> Future[bytes | None]:
        """More of the body: nothing is its end."""
        return self._loopback.run(self._exchange.stream.receive())

    def close(self) -> None:
        """Drops the rest of the body, which nobody wants."""
        self._loopback.do(lambda: self._exchange.stream.reset(ErrorCode.CANCEL))


class Loopback:
    """
    It has a thread with a loop of its own, so that a call which blocks the host's loop is answered, too.
    Nothing is opened before the first call.
    """

    def __init__(self, connect: Callable[[], socket.socket]) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._connection: asyncio.Task[ClientConnection] | None = None

    def ask(self, question: Question) -> Future[Answer]:
        """Done with the head of the answer; cancelling it ends the call."""
        return self.run(self._ask(question))

    def run(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._running_loop())

    def do(self, work: Callable[[], object]) -> None:
        self._running_loop().call_soon_threadsafe(work)

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                threading.Thread(
                    target=self._loop.run_forever, name="roadstead-loopback", daemon=True
                ).start()
            return self._loop

    async def _ask(self, question: Question) -> Answer:
        if self._connection is None:
            opening = ClientConnection.open(self._connect(), ClientConnection)
            self._connection = asyncio.get_running_loop().create_task(opening)
        connection = await asyncio.shield(self._connection)
        exchange = await connection.ask(_head_of(question), ends_stream=not question.body)
        sending = asyncio.get_running_loop().create_task(_send_body(exchange, question.body))
        try:
            return Answer(self, exchange, await exchange.head())
        except asyncio.CancelledError:
            exchange.stream.reset(ErrorCode.CANCEL)
            raise
        finally:
            sending.add_done_callback(_ignore_error)


def _head_of(question: Question) -> list[Header]:
    fields = [(name.lower(), value) for name, value in question.headers]
    return [
        (b":method", question.method),
        (b":scheme", b"http"),
        (b":authority", b"deployment"),
        (b":path", question.path),
        *(field for field in fields if field[0] not in CONNECTION_FIELDS and field[0] != b"host"),
    ]


async def _send_body(exchange: Exchange, body: bytes) -> None:
    if body:
        await exchange.stream.send(body, ends_stream=True)


def _ignore_error(sending: asyncio.Task[None]) -> None:
    """An engine may answer without having read all of it."""
    if not sending.cancelled():
        sending.exception()
