"""The queue in which a client of LangSmith keeps what it has not sent."""

from __future__ import annotations

from queue import Empty, PriorityQueue
from typing import Any
from weakref import ReferenceType, ref

# A reader is woken for so much, and looks by itself once a second: by then most runs have ended that began
# before, and begin and end are sent as one.
_MANY_ITEMS = 900
_MANY_BYTES = 4_000_000
_LOOK_S = 1.0

# Those that clients have made; few, and looked through before each run.
_made: list[ReferenceType[TraceQueue]] = []


class TraceQueue(PriorityQueue[Any]):
    """
    Wakes its reader once for many items, and hands these out as one batch. The original wakes it for each,
    and with each the event loop loses the interpreter to another thread.
    """

    def __init__(self, maxsize: int = 0) -> None:
        super().__init__(maxsize)
        self.bytes = 0
        # Of the batch that is handed out: how many items are left, and whether its reader is to hear its end.
        self._left = 0
        self._has_ended = False
        self._is_awaited = False
        _made.append(ref(self, _made.remove))

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        with self.mutex:
            if not 0 < self.maxsize <= self._qsize():
                self._put(item)
                self.unfinished_tasks += 1
                if self._is_due():
                    self.not_empty.notify()
                return
        super().put(item, block, timeout)

    def join(self) -> None:
        """Hurries its reader."""
        with self.mutex:
            self._is_awaited = True
            self.not_empty.notify_all()
        super().join()
        self._is_awaited = False

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        with self.mutex:
            if block and self._left == 0:
                self._begin_batch()
            if not self._qsize():
                self._left = 0
                raise Empty
            item = self._get()
            if self._left > 0:
                self._left -= 1
                self._has_ended = self._left == 0
            self.not_full.notify()
            return item

    def _begin_batch(self) -> None:
        """The reader’s own patience is for single items."""
        if self._has_ended:
            self._has_ended = False
            raise Empty
        self.not_empty.wait_for(self._is_due, _LOOK_S)
        self._left = self._qsize()

    def _is_due(self) -> bool:
        count = self._qsize()
        return count >= _MANY_ITEMS or self.bytes >= _MANY_BYTES or (self._is_awaited and count > 0)

    def _put(self, item: Any) -> None:
        self.bytes += size_of(item.item)
        super()._put(item)

    def _get(self) -> Any:
        item = super()._get()
        self.bytes -= size_of(item.item)
        return item


def open_queues() -> list[TraceQueue]:
    return [queue for one in _made if (queue := one()) is not None]


def size_of(operation: Any) -> int:
    """The bytes of what is to be sent; files are read later."""
    size: int = operation.calculate_serialized_size()
    return size
