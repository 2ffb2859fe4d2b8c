"""Says ten times a second what the host does, while it has many runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from time import perf_counter
from typing import Any

from .busy_selector import BusySelector
from .memory import memory_limit, resident_bytes
from .run_threads import RunThreads

# A host with fewer runs says nothing of its load: it takes more anyway.
MANY_RUNS = 8

_LOOK_S = 0.1
# The share of the newest look in the mean, so that about a second counts.
_NEWEST = 0.15


class LoadReports:
    def __init__(
        self,
        selector: BusySelector,
        threads: RunThreads,
        runs: Callable[[], int],
        tell: Callable[[dict[str, Any]], None],
    ) -> None:
        self._selector = selector
        self._threads = threads
        self._runs = runs
        self._tell = tell
        self._busy = 0.0
        self._is_looking = False

    def watch(self) -> None:
        """Begins to look where there are many runs, until there are few."""
        if not self._is_looking and self._runs() >= MANY_RUNS:
            self._is_looking = True
            self._look_later()

    def _look_later(self) -> None:
        asyncio.get_running_loop().call_later(_LOOK_S, self._look, perf_counter(), self._selector.idle_s)

    def _look(self, began: float, idle_before: float) -> None:
        took = perf_counter() - began
        idle = self._selector.idle_s - idle_before
        self._busy += _NEWEST * (max(0.0, 1 - idle / took) - self._busy)
        if self._runs() < MANY_RUNS:
            self._is_looking = False
            return
        resident = resident_bytes()
        self._tell(
            {
                # A node that waits for a thread is as late as one that waits for the loop.
                "late_ms": 1000 * max(0.0, took - _LOOK_S, self._threads.full_for_s()),
                "busy": self._busy,
                "heap": min(1.0, resident / memory_limit()),
                "resident_bytes": resident,
            }
        )
        self._look_later()
