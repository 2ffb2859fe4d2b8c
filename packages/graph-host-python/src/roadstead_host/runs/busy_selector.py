"""How busy the event loop is."""

from __future__ import annotations

import selectors
from time import perf_counter
from typing import Any


class BusySelector(selectors.DefaultSelector):
    """The selector of the loop, which knows how long the loop has waited in it."""

    def __init__(self) -> None:
        super().__init__()
        self.idle_s = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        began = perf_counter()
        try:
            return super().select(timeout)
        finally:
            self.idle_s += perf_counter() - began
