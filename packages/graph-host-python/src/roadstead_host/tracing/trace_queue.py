"""The queue in which a client of LangSmith keeps what it has not sent."""

from __future__ import annotations

from queue import Empty, PriorityQueue
from typing import Any
from weakref import WeakSet

# A reader is woken for so much, and looks by itself four times a second.
_MANY_ITEMS = 500
_MANY_BYTES = 2_000_000
_LOOK_S = 0.25

queues: WeakSet[TraceQueue] = WeakSet()


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
        queues.add(self)

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        with self.mutex:
            if not 0 < self.maxsize <= self._qsize():
                self._put(item)
                self.unfinished_tasks += 1
                if self._are_many():
                    self.not_empty.notify()
                return
        super().put(item, block, timeout)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        with self.mutex:
            if block and self._left == 0:
                self._begin_batch(timeout)
            if not self._qsize():
                self._left = 0
                raise Empty
            item = self._get()
            if self._left > 0:
                self._left -= 1
                self._has_ended = self._left == 0
            self.not_full.notify()
            return item

    def _begin_batch(self, timeout: float | None) -> None:
        if self._has_ended:
            self._has_ended = False
            raise Empty
        self.not_empty.wait_for(self._are_many, _LOOK_S if timeout is None else timeout)
        while timeout is None and not self._qsize():
            self.not_empty.wait(_LOOK_S)
        self._left = self._qsize()

    def _are_many(self) -> bool:
        return self._qsize() >= _MANY_ITEMS or self.bytes >= _MANY_BYTES

    def _put(self, item: Any) -> None:
        self.bytes += size_of(item.item)
        super()._put(item)

    def _get(self) -> Any:
        item = super()._get()
        self.bytes -= size_of(item.item)
        return item


def size_of(operation: Any) -> int:
    """The bytes of what is to be sent; files are read later."""
    size: int = operation.calculate_serialized_size()
    return size
