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

    def write(self, level: str, message: str, once: str | None = None) -> None:
        """From any thread. Of the lines with the same `once`, the log of the revision has the first."""
        with self._lock:
            if self._peer.outbox.bytes > _MAX_WAITING:
                self._dropped += 1
                return
            dropped, self._dropped = self._dropped, 0
            if dropped > 0:
                words = f"{dropped} lines of the log were dropped: there were more than could be written."
                self._peer.tell("log", {"level": "WARNING", "message": words})
            line = {"level": level, "message": message}
            self._peer.tell("log", line if once is None else {**line, "once": once})
