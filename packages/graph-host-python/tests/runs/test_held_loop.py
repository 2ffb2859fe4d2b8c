"""What is said of a loop that does not turn, asked from another thread."""

import asyncio
import time
from contextvars import copy_context
from threading import Thread
from typing import Any

from roadstead_host.runs.busy_selector import BusySelector
from roadstead_host.runs.held_loop import HeldLoop
from roadstead_host.runs.run_threads import ThreadedRun, threaded_run


def test_the_run_that_holds_up_the_loop_is_named() -> None:
    heard: list[dict[str, Any] | None] = []

    def listen(held: HeldLoop) -> None:
        while not heard or heard[-1] is None:
            heard.append(held.facts())
            time.sleep(0.05)

    async def node() -> None:
        # A task of its own, as LangGraph makes one for each node.
        time.sleep(1.4)

    async def run() -> None:
        await asyncio.gather(asyncio.create_task(node()))

    async def main(held: HeldLoop) -> None:
        listener = Thread(target=listen, args=(held,))
        context = copy_context()
        context.run(threaded_run.set, ThreadedRun("r", 2))
        listener.start()
        await asyncio.sleep(0.2)
        assert not any(heard)
        await asyncio.get_running_loop().create_task(run(), context=context)
        listener.join()

    selector = BusySelector()
    loop = asyncio.SelectorEventLoop(selector)
    try:
        loop.run_until_complete(main(HeldLoop(loop, selector)))
    finally:
        loop.close()
    said = heard[-1]
    assert said is not None
    assert said["for_ms"] >= 1000
    assert (said["run_id"], said["attempt"]) == ("r", 2)
