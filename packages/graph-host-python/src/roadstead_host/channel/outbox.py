"""Sends frames over the channel."""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Iterable, Sequence
from threading import Condition, RLock, Thread

from .frames import Buffer

# As many pieces as one call of the system takes.
_MAX_PIECES = 512


class Outbox:
    """
    Writes from any thread, in order. What fits goes out at once, on the thread that says it; a thread of the
    outbox writes the rest, so that nobody waits for an engine that reads slowly.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        # A finalizer of user code may write while its own thread does.
        self._changed = Condition(RLock())
        self._waiting: deque[memoryview] = deque()
        # How much waits.
        self.bytes = 0
        self._is_sending = False
        self._is_closed = False
        Thread(target=self._write_waiting, name="roadstead-writer", daemon=True).start()

    def write(self, pieces: Sequence[Buffer]) -> None:
        """Writes nothing once the connection has ended."""
        views = [view for piece in pieces if (view := memoryview(piece).cast("B")).nbytes > 0]
        with self._changed:
            if self._is_closed:
                return
            if self._waiting or self._is_sending:
                self._waiting.extend(views)
                self.bytes += _size_of(views)
                return
            self._is_sending = True
            try:
                rest = self._send_now(views)
            finally:
                self._is_sending = False
            self._waiting.extendleft(reversed(rest))
            self.bytes += _size_of(rest)
            if self._waiting:
                self._changed.notify_all()

    def drain(self, timeout: float) -> bool:
        """Waits until all has gone out. False where that takes too long."""
        with self._changed:
            return self._changed.wait_for(lambda: self._is_closed or not self._waiting, timeout)

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            self._waiting.clear()
            self.bytes = 0
            self._changed.notify_all()

    def _send_now(self, views: list[memoryview]) -> list[memoryview]:
        """Answers the rest, which does not fit."""
        rest = views
        while rest:
            try:
                sent = self._connection.sendmsg(rest[:_MAX_PIECES], (), socket.MSG_DONTWAIT)
            except BlockingIOError:
                return rest
            except OSError:
                self.close()
                return []
            rest = _after(rest, sent)
        return rest

    def _write_waiting(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._is_closed or self._waiting)
                if self._is_closed:
                    return
                batch = [view for view, _ in zip(self._waiting, range(_MAX_PIECES), strict=False)]
            try:
                sent = self._connection.sendmsg(batch)
            except OSError:
                self.close()
                return
            with self._changed:
                if self._is_closed:
                    return
                for _ in batch:
                    self._waiting.popleft()
                self._waiting.extendleft(reversed(_after(batch, sent)))
                self.bytes -= sent
                if not self._waiting:
                    self._changed.notify_all()


def _size_of(views: Iterable[memoryview]) -> int:
    return sum(view.nbytes for view in views)


def _after(views: Iterable[memoryview], sent: int) -> list[memoryview]:
    """Answers what is left of these after so many bytes."""
    rest = []
    for view in views:
        if sent < view.nbytes:
            rest.append(view[sent:])
        sent = max(0, sent - view.nbytes)
    return rest
