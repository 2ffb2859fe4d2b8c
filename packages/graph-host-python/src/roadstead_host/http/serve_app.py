"""Answers what the engine asks the project's app, over a connection of its own."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass

from .asgi import answer_request
from .asgi_types import App, Complain
from .asgi_web_socket import WebSockets
from .complaints import complain
from .descriptors import app_connection
from .h2_heads import RequestHead
from .h2_server import Answer, ServerConnection
from .h2_stream import Stream
from .lifespan import Lifespan
from .user_app import UserApp


@dataclass(frozen=True, slots=True)
class ServedApp:
    connection: ServerConnection
    lifespan: Lifespan
    web_sockets: WebSockets

    async def stop(self) -> None:
        """Closes its WebSockets, and lets the app end what its start began."""
        self.web_sockets.restart()
        await self.lifespan.stop()


async def serve_app(
    app: UserApp, connect: Callable[[], socket.socket] = app_connection, complain: Complain = complain
) -> ServedApp:
    """Raises a sentence where the app does not start."""
    lifespan = Lifespan(app.app, complain)
    await lifespan.start()
    web_sockets = WebSockets(app.app, lifespan.state, complain)
    answer = _answerer(app.app, web_sockets)
    connection = await ServerConnection.open(connect(), lambda: ServerConnection(answer))
    return ServedApp(connection, lifespan, web_sockets)


def _answerer(app: App, web_sockets: WebSockets) -> Answer:
    state, complain = web_sockets.state, web_sockets.complain

    async def answer(head: RequestHead, stream: Stream) -> None:
        if head.protocol == b"websocket":
            await web_sockets.answer(head, stream)
        elif head.method == b"CONNECT":
            stream.send_headers([(b":status", b"501")], ends_stream=True)
        else:
            await answer_request(app, head, stream, state=state, complain=complain)

    return answer
