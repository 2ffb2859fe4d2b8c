"""Names code that blocks the event loop. Nothing fails for it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread, get_ident
from time import perf_counter
from types import FrameType

from ..project.own_code import is_own
from .busy_selector import BusySelector

# A call that holds the loop for two looks is named.
_LOOK_S = 0.5


@dataclass(frozen=True, slots=True)
class _Place:
    file: str
    line: int
    function: str


class BlockingWatch:
    """Looks from a thread of its own. Each place is named once."""

    def __init__(self, selector: BusySelector, root: Path, warn: Callable[[str], None]) -> None:
        self._selector = selector
        self._root = root
        self._warn = warn
        self._loop_thread = get_ident()
        self._named: set[_Place] = set()
        self._never = Event()

    def begin(self) -> None:
        """Called by the thread of the loop."""
        Thread(target=self._watch, name="roadstead-watch", daemon=True).start()

    def _watch(self) -> None:
        while not self._never.wait(_LOOK_S):
            since = self._selector.busy_since
            if since is None or perf_counter() - since < _LOOK_S:
                continue
            frame = self._own_frame()
            self._never.wait(_LOOK_S)
            # A loop that has much to do is at other code by then.
            is_held = self._selector.busy_since == since and frame is self._own_frame()
            if frame is not None and is_held:
                place = self._place_of(frame)
                self._name(place, self._until_free(since))
            del frame

    def _name(self, place: _Place, took_s: float) -> None:
        if place in self._named:
            return
        self._named.add(place)
        self._warn(
            f"{place.file}:{place.line} in {place.function} blocked the event loop for {took_s:.1f} s: other "
            "runs of this process waited. Await it, or do it in a plain function, which runs on a thread."
        )

    def _until_free(self, since: float) -> float:
        while self._selector.busy_since == since:
            self._never.wait(_LOOK_S / 10)
        return perf_counter() - since

    def _own_frame(self) -> FrameType | None:
        """The innermost frame of the project's own code."""
        frames = _outwards(sys._current_frames().get(self._loop_thread))
        return next((frame for frame in frames if is_own(Path(frame.f_code.co_filename), self._root)), None)

    def _place_of(self, frame: FrameType) -> _Place:
        path = Path(frame.f_code.co_filename).relative_to(self._root)
        return _Place(str(path), frame.f_lineno, frame.f_code.co_name)


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back
