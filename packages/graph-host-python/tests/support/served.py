"""An app of ASGI, served over HTTP/2, for tests."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from roadstead_host.http.h2_client import ClientConnection
from roadstead_host.http.serve_app import ServedApp, serve_app
from roadstead_host.http.user_app import create_user_app
from support.h2_pair import Pair

NOT_SERVED = b"x-roadstead-not-served"


@dataclass(frozen=True)
class Served:
    pair: Pair
    app: ServedApp
    complaints: list[tuple[str, str]] = field(default_factory=list)

    async def get(
        self, path: str, method: str = "GET", body: bytes | None = None
    ) -> tuple[int, dict[bytes, bytes], bytes]:
        head, answered = await self.pair.ask(method, path, body)
        return head.status, dict(head.headers), answered


@asynccontextmanager
async def serving(app: Any) -> AsyncIterator[Served]:
    complaints: list[tuple[str, str]] = []
    ours, theirs = socket.socketpair()

    def complain(where: str, thrown: BaseException | str) -> None:
        complaints.append((where, str(thrown)))

    served = await serve_app(create_user_app(app, "http.app"), lambda: theirs, complain)
    client = await ClientConnection.open(ours, ClientConnection)
    try:
        yield Served(Pair(client, served.connection), served, complaints)
    finally:
        client.close()
        served.connection.close()
        await served.stop()
