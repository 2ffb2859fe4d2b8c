"""Lines of the log on their way to the engine."""

from __future__ import annotations

from threading import RLock

from .peer import Peer

_MAX_WAITING = 8 * 1024 * 1024


class LogLines:
    """Code that logs does not wait: where much waits to go out, lines are dropped and counted."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer
        self._lock = RLock()
        self._dropped = 0

    def write(self, level: str, message: str) -> None:
        """From any thread."""
        with self._lock:
            if self._peer.outbox.bytes > _MAX_WAITING:
                self._dropped += 1
                return
            dropped, self._dropped = self._dropped, 0
            if dropped > 0:
                words = f"{dropped} lines of the log were dropped: there were more than could be written."
                self._peer.tell("log", {"level": "WARNING", "message": words})
            self._peer.tell("log", {"level": level, "message": message})
