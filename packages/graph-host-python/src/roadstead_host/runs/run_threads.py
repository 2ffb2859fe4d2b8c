"""The threads in which nodes run that are plain functions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

# Many of them wait for something outside.
_MAX_THREADS = 128


@dataclass(slots=True)
class ThreadedRun:
    """The run that a thread works for."""

    run_id: str
    attempt: int
    has_ended: bool = False


threaded_run: ContextVar[ThreadedRun | None] = ContextVar("roadstead_threaded_run", default=None)


class RunThreads(ThreadPoolExecutor):
    """
    A function can't be stopped: what it returns after the end of its run is dropped, and the log says so.
    """

    def __init__(self) -> None:
        super().__init__(_MAX_THREADS, thread_name_prefix="roadstead-node")

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future = super().submit(fn, *args, **kwargs)
        run = threaded_run.get()
        if run is not None:
            future.add_done_callback(lambda _: _report(run))
        return future


def _report(run: ThreadedRun) -> None:
    if run.has_ended:
        print(
            f"A node of run {run.run_id} went on after the run ended; its result is dropped.", file=sys.stderr
        )
