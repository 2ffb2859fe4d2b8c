"""Does work within a moment, from any thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from threading import Lock, get_ident
from typing import TypeAlias

_SOON_S = 0.01

Work: TypeAlias = Callable[[], None]


class Soon:
    """Does all that is due within one moment together: what runs tell then goes out at once."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._thread = get_ident()
        self._lock = Lock()
        self._due: list[Work] = []

    def add(self, work: Work) -> None:
        with self._lock:
            self._due.append(work)
            is_first = len(self._due) == 1
        if not is_first:
            return
        if get_ident() == self._thread:
            self._loop.call_later(_SOON_S, self._do)
        else:
            self._loop.call_soon_threadsafe(self._loop.call_later, _SOON_S, self._do)

    def _do(self) -> None:
        with self._lock:
            due, self._due = self._due, []
        for work in due:
            work()
