"""The engine's end of a channel, for tests: it speaks plain frames."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Callable, Sequence
from threading import Thread
from typing import Any

from roadstead_host.channel.peer import Peer, Question
from roadstead_host.channel.window import HOST_WINDOW, WindowLimits


class Engine:
    """Reads what a peer sends, and sends it what a test wants."""

    def __init__(
        self,
        on_question: Callable[[Question], None] = lambda question: question.answer({}),
        limits: WindowLimits = HOST_WINDOW,
    ) -> None:
        self.socket, theirs = socket.socketpair()
        self.socket.settimeout(20)
        self.peer = Peer(theirs, on_question, limits)
        self.fault: Exception | None = None
        self._theirs = theirs
        self._server = Thread(target=self._serve, daemon=True)
        self._server.start()

    def _serve(self) -> None:
        try:
            self.peer.serve()
        except Exception as error:
            self.fault = error

    def send(self, head: object, blobs: Sequence[bytes] = ()) -> None:
        if blobs:
            head = {**head, "blobs": [len(blob) for blob in blobs]}  # type: ignore[dict-item]
        text = json.dumps(head).encode()
        rest = b"".join(blobs)
        self.socket.sendall(struct.pack(">II", 4 + len(text) + len(rest), len(text)) + text + rest)

    def read(self) -> tuple[dict[str, Any], list[bytes]]:
        _total, length = struct.unpack(">II", self._exactly(8))
        head = json.loads(self._exactly(length))
        return head, [self._exactly(size) for size in head.get("blobs", [])]

    def _exactly(self, size: int) -> bytes:
        taken = bytearray()
        while len(taken) < size:
            piece = self.socket.recv(size - len(taken))
            assert piece, "the peer ended the connection"
            taken += piece
        return bytes(taken)

    def end(self) -> None:
        """Ends the connection, and waits until the peer has seen it."""
        self.socket.close()
        self._server.join(20)
        self._theirs.close()
