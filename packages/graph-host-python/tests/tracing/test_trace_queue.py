from __future__ import annotations

from dataclasses import dataclass
from queue import Empty, Full
from threading import Thread
from time import perf_counter

import pytest

from roadstead_host.tracing.trace_queue import TraceQueue

SOON_S = 0.01


@dataclass(frozen=True)
class Operation:
    size: int

    def calculate_serialized_size(self) -> int:
        return self.size


@dataclass(frozen=True, order=True)
class Item:
    order: int
    item: Operation = Operation(10)


def batch_of(queue: TraceQueue, timeout: float) -> list[int]:
    """As the reader of a client takes it."""
    orders = []
    try:
        while True:
            orders.append(queue.get(timeout=timeout).order)
    except Empty:
        return orders


def test_when_items_are_taken_then_what_was_there_is_one_batch_in_order() -> None:
    queue = TraceQueue()
    for order in (3, 1, 2):
        queue.put_nowait(Item(order))
    assert queue.bytes == 30
    assert queue.get(timeout=SOON_S).order == 1
    queue.put_nowait(Item(4))
    assert batch_of(queue, SOON_S) == [2, 3]
    assert batch_of(queue, SOON_S) == [4]
    assert batch_of(queue, SOON_S) == []
    assert queue.bytes == 0


def test_when_few_items_come_then_their_reader_sleeps_on() -> None:
    queue = TraceQueue()
    taken: list[list[int]] = []
    reader = Thread(target=lambda: taken.append(batch_of(queue, 0.5)))
    began = perf_counter()
    reader.start()
    for order in range(20):
        queue.put_nowait(Item(order))
    reader.join()
    assert taken == [[*range(20)]]
    assert perf_counter() - began >= 0.4


@pytest.mark.parametrize("items", [[Item(order) for order in range(500)], [Item(0, Operation(2_000_000))]])
def test_when_much_comes_then_its_reader_wakes(items: list[Item]) -> None:
    queue = TraceQueue()
    taken: list[list[int]] = []
    reader = Thread(target=lambda: taken.append(batch_of(queue, 60.0)))
    reader.start()
    for item in items:
        queue.put_nowait(item)
    reader.join(30)
    assert taken == [[item.order for item in items]]


def test_when_a_queue_is_full_then_nothing_more_is_put() -> None:
    queue = TraceQueue(maxsize=1)
    queue.put_nowait(Item(1))
    with pytest.raises(Full):
        queue.put_nowait(Item(2))
    assert queue.get(block=False).order == 1
    with pytest.raises(Empty):
        queue.get(block=False)
    queue.task_done()
    queue.join()
