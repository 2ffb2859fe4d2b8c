"""How busy the event loop is."""

from __future__ import annotations

import selectors
from time import perf_counter
from typing import Any


class BusySelector(selectors.DefaultSelector):
    """The selector of the loop, which knows how long the loop has waited in it, and since when it is at work."""

    def __init__(self) -> None:
        super().__init__()
        self.idle_s = 0.0
        # When the turn began that is under way, if one is.
        self.turn_began: float | None = None

    def select(self, timeout: float | None = None) -> list[Any]:
        began = perf_counter()
        self.turn_began = None
        try:
            return super().select(timeout)
        finally:
            self.turn_began = now = perf_counter()
            self.idle_s += now - began

    def turn_s(self) -> float:
        """How long the loop has been at work without a pause; from any thread."""
        began = self.turn_began
        return 0.0 if began is None else perf_counter() - began
