"""How busy the event loop is."""

from __future__ import annotations

import selectors
from time import perf_counter
from typing import Any


class BusySelector(selectors.DefaultSelector):
    """
    The selector of the loop, which knows how long the loop has waited in it, and since when it is at work.
    """

    def __init__(self) -> None:
        super().__init__()
        self.idle_s = 0.0
        # None while the loop waits. Other threads read it.
        self.busy_since: float | None = None

    def select(self, timeout: float | None = None) -> list[Any]:
        began = perf_counter()
        self.busy_since = None
        try:
            return super().select(timeout)
        finally:
            ended = perf_counter()
            self.idle_s += ended - began
            self.busy_since = ended
