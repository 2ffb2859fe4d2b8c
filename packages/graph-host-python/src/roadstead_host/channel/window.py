"""How much the host asks at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import RLock
from typing import TypeAlias

from .frames import Buffer

Pieces: TypeAlias = Sequence[Buffer]


@dataclass(frozen=True, slots=True)
class WindowLimits:
    asks: int
    bytes: int
    # Methods that are asked with room or without: each keeps its place among messages, and is bounded where
    # it is made.
    beside: frozenset[str] = field(default_factory=frozenset)


HOST_WINDOW = WindowLimits(
    asks=512,
    bytes=16 * 1024 * 1024,
    beside=frozenset(("emit", "checkpoint.put", "checkpoint.put_writes")),
)


class AskWindow:
    """
    Questions go out as long as few enough are open; the next ones wait in order. One that is larger than all
    may be goes alone. The engine would otherwise have to stop reading, and then hear no answer of the host
    either.
    """

    def __init__(self, limits: WindowLimits, write: Callable[[Pieces], None]) -> None:
        self._limits = limits
        self._write = write
        self._lock = RLock()
        self._waiting: dict[int, Pieces] = {}
        # The bytes of each that has gone out.
        self._open: dict[int, int] = {}
        self._bytes = 0

    def ask(self, number: int, method: str, pieces: Pieces) -> None:
        if method in self._limits.beside:
            self._write(pieces)
            return
        with self._lock:
            self._waiting[number] = pieces
            self._send_next()

    def answered(self, number: int) -> None:
        with self._lock:
            size = self._open.pop(number, None)
            if size is not None:
                self._bytes -= size
                self._send_next()

    def clear(self) -> None:
        with self._lock:
            self._waiting.clear()

    def _send_next(self) -> None:
        while self._waiting:
            number, pieces = next(iter(self._waiting.items()))
            size = sum(len(piece) for piece in pieces)
            fits = len(self._open) < self._limits.asks and self._bytes + size <= self._limits.bytes
            if not fits and self._open:
                return
            del self._waiting[number]
            self._open[number] = size
            self._bytes += size
            self._write(pieces)
