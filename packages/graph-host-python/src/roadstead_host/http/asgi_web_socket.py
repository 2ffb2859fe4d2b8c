"""WebSockets over streams of HTTP/2 (RFC 8441), spoken to an app of ASGI."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .asgi import base_scope
from .asgi_types import App, Complain, Scope
from .h2_errors import StreamEnded
from .h2_heads import RequestHead
from .h2_stream import Stream
from .web_socket_conversation import PING_S, WebSocketConversation
from .web_socket_frames import CloseCode


@dataclass(frozen=True, slots=True)
class WebSockets:
    """Those of one app."""

    app: App
    state: dict[str, Any]
    complain: Complain
    ping_s: float = PING_S
    _open: set[WebSocketConversation] = field(default_factory=set)

    async def answer(self, head: RequestHead, stream: Stream) -> None:
        conversation = WebSocketConversation(stream, self.ping_s)
        code = CloseCode.NORMAL
        self._open.add(conversation)
        try:
            await self.app(_scope_of(head, self.state), conversation.receive, conversation.send)
        except StreamEnded:
            pass
        except Exception as error:
            code = CloseCode.INTERNAL_ERROR
            # That its client is gone is no error of an app that does not look.
            if not stream.ended.done() and type(error).__name__ != "WebSocketDisconnect":
                self.complain(f"http.app, WebSocket {head.path.decode('latin-1')}", error)
        finally:
            self._open.discard(conversation)
        await conversation.end(code)

    def restart(self) -> None:
        """Closes them: their clients may come back, to another host."""
        for one in self._open:
            one.restart()


def _scope_of(head: RequestHead, state: dict[str, Any]) -> Scope:
    scope = base_scope("websocket", head, state)
    scope["scheme"] = "wss" if head.scheme in (b"https", b"wss") else "ws"
    asked = b",".join(value for name, value in head.headers if name == b"sec-websocket-protocol")
    scope["subprotocols"] = [one.strip().decode("latin-1") for one in asked.split(b",") if one.strip()]
    scope["extensions"] = {"websocket.http.response": {}}
    return scope
