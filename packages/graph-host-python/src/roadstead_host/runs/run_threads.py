"""The threads of the event loop: those of nodes that are plain functions, and those of the host itself."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Lock
from time import perf_counter
from typing import Any

# Many of them wait for something outside.
_NODE_THREADS = 128
_OWN_THREADS = 32

# The loop looks names up in threads: nobody waits for nodes to reach a database.
_LOOK_UPS = (socket.getaddrinfo, socket.getnameinfo)


@dataclass(slots=True)
class ThreadedRun:
    """The run that a thread works for."""

    run_id: str
    attempt: int
    has_ended: bool = False


threaded_run: ContextVar[ThreadedRun | None] = ContextVar("roadstead_threaded_run", default=None)


class RunThreads(ThreadPoolExecutor):
    """
    Work of runs has threads of its own, so that everything else goes on where nodes take them all: a function
    can't be stopped. What it returns after the end of its run is dropped, and the log says so.
    """

    def __init__(self, most: int = _NODE_THREADS) -> None:
        super().__init__(most, thread_name_prefix="roadstead-node")
        self._own = ThreadPoolExecutor(_OWN_THREADS, thread_name_prefix="roadstead-own")
        self._most = most
        self._lock = Lock()
        self._at_work = 0
        self._full_since: float | None = None

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        run = threaded_run.get()
        if run is None or fn in _LOOK_UPS:
            return self._own.submit(fn, *args, **kwargs)
        future = super().submit(fn, *args, **kwargs)
        self._count(1)
        future.add_done_callback(lambda _: self._end(run))
        return future

    def full_for_s(self) -> float:
        """For how long no thread has been free for another node; 0 where one is."""
        since = self._full_since
        return 0.0 if since is None else perf_counter() - since

    def _end(self, run: ThreadedRun) -> None:
        self._count(-1)
        if run.has_ended:
            print(
                f"A node of run {run.run_id} went on after the run ended; its result is dropped.",
                file=sys.stderr,
            )

    def _count(self, more: int) -> None:
        with self._lock:
            self._at_work += more
            if self._at_work < self._most:
                self._full_since = None
            elif self._full_since is None:
                self._full_since = perf_counter()
