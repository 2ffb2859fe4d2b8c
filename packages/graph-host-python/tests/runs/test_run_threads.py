"""The threads of nodes, and those of everything else."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from threading import Event

import pytest

from roadstead_host.runs.busy_selector import BusySelector
from roadstead_host.runs.load_reports import LoadReports
from roadstead_host.runs.run_threads import RunThreads, ThreadedRun, threaded_run


@pytest.fixture
def leave() -> Iterator[Event]:
    """Until then nodes wait."""
    event = Event()
    yield event
    event.set()


def test_when_nodes_take_all_their_threads_then_the_rest_of_the_host_goes_on(leave: Event) -> None:
    async def work() -> None:
        loop = asyncio.get_running_loop()
        threads = RunThreads(2)
        loop.set_default_executor(threads)
        heard: list[float] = []
        reports = LoadReports(BusySelector(), threads, lambda: 8, lambda load: heard.append(load["late_ms"]))
        assert await asyncio.to_thread(int, "1") == 1
        threaded_run.set(ThreadedRun("r", 1))
        nodes = [asyncio.create_task(asyncio.to_thread(leave.wait, 20)) for _ in range(3)]
        await asyncio.sleep(0)
        # The code of a run, too, finds the machines that it names.
        assert await asyncio.wait_for(loop.getaddrinfo("127.0.0.1", 80, type=socket.SOCK_STREAM), 10)
        threaded_run.set(None)
        assert await asyncio.wait_for(asyncio.to_thread(int, "2"), 10) == 2
        reports.watch()
        while not heard or heard[-1] < 300:
            await asyncio.sleep(0.01)
        leave.set()
        assert await asyncio.gather(*nodes) == [True, True, True]
        while threads.full_for_s() > 0:
            await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(work(), 30))
