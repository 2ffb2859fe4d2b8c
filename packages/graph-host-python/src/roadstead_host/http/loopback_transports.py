"""The transports of httpx by which clients of the LangGraph SDK ask their own deployment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx

from .h2_errors import StreamEnded
from .loopback import Answer, Loopback, Question

Client = httpx.AsyncClient | httpx.Client

_NO_ANSWER = "The deployment did not answer."


def rerouted(client: Client, loopback: Loopback) -> Client:
    """A client like one that was made for an address, and has asked nothing yet."""
    made: dict[str, Any] = {"base_url": client.base_url, "timeout": client.timeout, "headers": client.headers}
    if isinstance(client, httpx.AsyncClient):
        return httpx.AsyncClient(transport=AsyncLoopbackTransport(loopback), **made)
    return httpx.Client(transport=SyncLoopbackTransport(loopback), **made)


class AsyncLoopbackTransport(httpx.AsyncBaseTransport):
    """Like calls within a process, these wait for as long as it takes."""

    def __init__(self, loopback: Loopback) -> None:
        self._loopback = loopback

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        asked = self._loopback.ask(_question(request, await request.aread()))
        try:
            answer = await asyncio.wrap_future(asked)
        except StreamEnded as error:
            raise httpx.ConnectError(_NO_ANSWER, request=request) from error
        return httpx.Response(answer.status, headers=answer.headers, stream=_AsyncBody(answer, request))


class SyncLoopbackTransport(httpx.BaseTransport):
    """Blocks the thread that calls, and nothing else."""

    def __init__(self, loopback: Loopback) -> None:
        self._loopback = loopback

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        try:
            answer = self._loopback.ask(_question(request, request.read())).result()
        except StreamEnded as error:
            raise httpx.ConnectError(_NO_ANSWER, request=request) from error
        return httpx.Response(answer.status, headers=answer.headers, stream=_SyncBody(answer, request))


class _AsyncBody(httpx.AsyncByteStream):
    def __init__(self, answer: Answer, request: httpx.Request) -> None:
        self._answer = answer
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            while (piece := await asyncio.wrap_future(self._answer.read())) is not None:
                yield piece
        except StreamEnded as error:
            raise httpx.ReadError(_NO_ANSWER, request=self._request) from error

    async def aclose(self) -> None:
        self._answer.close()


class _SyncBody(httpx.SyncByteStream):
    def __init__(self, answer: Answer, request: httpx.Request) -> None:
        self._answer = answer
        self._request = request

    def __iter__(self) -> Iterator[bytes]:
        try:
            while (piece := self._answer.read().result()) is not None:
                yield piece
        except StreamEnded as error:
            raise httpx.ReadError(_NO_ANSWER, request=self._request) from error

    def close(self) -> None:
        self._answer.close()


def _question(request: httpx.Request, body: bytes) -> Question:
    return Question(request.method.encode(), request.url.raw_path, request.headers.raw, body)
