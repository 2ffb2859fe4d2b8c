"""Names code that blocks the event loop, while it blocks where that takes long. Nothing fails for it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Event, Thread, get_ident
from time import perf_counter
from types import FrameType
from typing import Literal

from ..project.own_code import INSTALLED, is_installed, is_own
from .busy_selector import BusySelector

# Two looks fall into whatever blocks for a quarter of a second, and a look is cheap.
_LOOK_S = 0.08
# Code that blocks for less is not named.
_NAMED_S = 0.25
# Code that still blocks after so long is named before it ends: it may never end.
_GOES_ON_S = 5.0

# Told words for the log, and what they are about: the log of a revision says them once.
Warn = Callable[[str, str], None]


@dataclass(slots=True)
class _Sighting:
    """Code that was at work at a look."""

    frame: FrameType
    # The turn of the loop that it belongs to, by its beginning.
    turn: float
    began: float
    # Where it was last; None until it was seen twice: a loop that has much to do is at other code by then.
    place: str | None = None


class BlockingWatch:
    """Looks from a thread of its own. Each place is named once."""

    def __init__(
        self, selector: BusySelector, root: Path, warn: Warn, *, goes_on_s: float = _GOES_ON_S
    ) -> None:
        self._selector = selector
        self._root = root
        self._warn = warn
        self._goes_on_s = goes_on_s
        self._loop_thread = get_ident()
        self._named: set[str] = set()
        self._never = Event()
        self._owner_of = lru_cache(4096)(self._find_owner)

    def begin(self) -> None:
        """Called by the thread of the loop."""
        Thread(target=self._watch, name="roadstead-watch", daemon=True).start()

    def _watch(self) -> None:
        seen: _Sighting | None = None
        while not self._never.wait(_LOOK_S):
            seen = self._look(seen)

    def _look(self, before: _Sighting | None) -> _Sighting | None:
        turn, now = self._selector.busy_since, perf_counter()
        is_held = turn is not None and now - turn >= _LOOK_S
        frame = self._frame_at_work() if is_held else None
        if frame is None or turn is None or self._selector.busy_since != turn:
            self._end(before, now)
            return None
        if before is None or frame is not before.frame or turn != before.turn:
            self._end(before, now)
            is_first = before is None or before.turn != turn
            return _Sighting(frame, turn, turn if is_first else now)
        before.place = self._place_of(frame)
        if now - before.began >= self._goes_on_s:
            self._name(before.place, f"has blocked the event loop for {now - before.began:.1f} s and goes on")
        return before

    def _end(self, seen: _Sighting | None, now: float) -> None:
        if seen is not None and seen.place is not None and now - seen.began >= _NAMED_S:
            self._name(seen.place, f"blocked the event loop for {now - seen.began:.1f} s")

    def _name(self, place: str, what: str) -> None:
        if place in self._named:
            return
        self._named.add(place)
        self._warn(
            f"{place} {what}: other runs of this process wait meanwhile. "
            "Await it, or do it in a plain function, which runs on a thread.",
            f"blocking {place}",
        )

    def _frame_at_work(self) -> FrameType | None:
        """
        The innermost frame of the project's own code. A task of a package may have none: then the innermost
        of a package.
        """
        frames = [*_outwards(sys._current_frames().get(self._loop_thread))]
        owners = [self._owner_of(frame.f_code.co_filename) for frame in frames]
        for owner in ("project", "package"):
            if owner in owners:
                return frames[owners.index(owner)]
        return None

    def _find_owner(self, filename: str) -> Literal["project", "package"] | None:
        """None for the host and the standard library, which only do what the code around them asks for."""
        file = Path(filename)
        if is_own(file, self._root):
            return "project"
        return "package" if is_installed(file, self._root) else None

    def _place_of(self, frame: FrameType) -> str:
        file = Path(frame.f_code.co_filename)
        is_of_project = self._owner_of(str(file)) == "project"
        shown = file.relative_to(self._root) if is_of_project else _inside_packages(file)
        return f"{shown}:{frame.f_lineno} in {frame.f_code.co_name}"


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _inside_packages(file: Path) -> Path:
    """Its path below the folder of packages."""
    at = max((at for at, part in enumerate(file.parts) if part in INSTALLED), default=-1)
    return Path(*file.parts[at + 1 :])
