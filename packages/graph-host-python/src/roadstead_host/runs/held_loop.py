"""Tells the engine about an event loop that does not turn, and which run holds it up."""

from __future__ import annotations

import asyncio
import sys
from time import perf_counter
from typing import Any

from .busy_selector import BusySelector
from .run_threads import ThreadedRun, threaded_run

# The engine lets other runs go on elsewhere for it: they wait for less all the time.
_HELD_UP_S = 1.0
# The attribute of a task that names its run.
_RUN = "roadstead_run"


class HeldLoop:
    """It is made on the thread of the loop, before there are tasks."""

    def __init__(self, loop: asyncio.AbstractEventLoop, selector: BusySelector) -> None:
        self._loop = loop
        self._selector = selector
        if sys.version_info < (3, 12):
            loop.set_task_factory(_make_known)

    def facts(self) -> dict[str, Any] | None:
        """For how long the loop has not turned, where that is long; from any thread."""
        since = self._selector.busy_since
        if since is None or (for_s := perf_counter() - since) < _HELD_UP_S:
            return None
        task = asyncio.current_task(self._loop)
        run = None if task is None else _run_of(task)
        ref = {} if run is None else {"run_id": run.run_id, "attempt": run.attempt}
        return {"for_ms": round(for_s * 1000), **ref}


def _run_of(task: asyncio.Task[Any]) -> ThreadedRun | None:
    # Before Python 3.12 a task does not tell its context.
    if sys.version_info < (3, 12):
        return getattr(task, _RUN, None)
    return task.get_context().get(threaded_run)


def _make_known(loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> asyncio.Task[Any]:
    task: asyncio.Task[Any] = asyncio.Task(coroutine, loop=loop, **options)
    context = options.get("context")
    run = threaded_run.get() if context is None else context.get(threaded_run)
    if run is not None:
        setattr(task, _RUN, run)
    return task
