"""What holds up the loop, named by another thread."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from threading import Event
from types import ModuleType

import pytest

from roadstead_host.runs.blocking_watch import BlockingWatch
from roadstead_host.runs.busy_selector import BusySelector

SOURCE = """
import asyncio, time

async def block(seconds):
    time.sleep(seconds)

async def block_again(seconds):
    await asyncio.sleep(0)
    time.sleep(seconds)

async def block_until(event):
    while not event.is_set():
        time.sleep(0.01)

def wait(seconds):
    time.sleep(seconds)

async def block_by(wait, seconds):
    wait(seconds)

async def work_in_pieces(seconds):
    end = time.perf_counter() + seconds
    def piece():
        time.sleep(0.01)
        if time.perf_counter() < end:
            loop.call_soon(piece)
        else:
            done.set_result(None)
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    piece()
    await done
"""


class Watched:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.said: list[tuple[str, str]] = []
        self.heard = Event()

    def warn(self, words: str, once: str) -> None:
        self.said.append((words, once))
        self.heard.set()

    def load(self, path: str) -> ModuleType:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(SOURCE)
        module = ModuleType("watched")
        exec(compile(SOURCE, str(file), "exec"), module.__dict__)
        return module

    def run(self, *steps: Callable[[], Awaitable[object]], goes_on_s: float = 5.0) -> None:
        selector = BusySelector()
        loop = asyncio.SelectorEventLoop(selector)

        async def main() -> None:
            BlockingWatch(selector, self.root, self.warn, goes_on_s=goes_on_s).begin()
            for step in steps:
                await loop.create_task(_as_coroutine(step))
                # The watch looks a few times more.
                await asyncio.sleep(0.3)

        try:
            loop.run_until_complete(main())
        finally:
            loop.close()


async def _as_coroutine(step: Callable[[], Awaitable[object]]) -> None:
    await step()


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


@pytest.mark.parametrize("seconds", [0.25, 0.4, 1.0])
def test_what_blocks_for_a_quarter_of_a_second_is_named_once_at_its_end(
    watched: Watched, seconds: float
) -> None:
    agent = watched.load("src/agent.py")
    watched.run(lambda: agent.block(seconds), lambda: agent.block(seconds))
    [(words, once)] = watched.said
    assert words.startswith("src/agent.py:5 in block blocked the event loop for ")
    assert float(words.split()[8]) == pytest.approx(seconds, abs=0.3)
    assert once == "blocking src/agent.py:5 in block"


def test_what_blocks_elsewhere_is_named_too(watched: Watched) -> None:
    agent = watched.load("agent.py")
    watched.run(lambda: agent.block(0.3), lambda: agent.block_again(0.3))
    assert [once for _, once in watched.said] == [
        "blocking agent.py:5 in block",
        "blocking agent.py:9 in block_again",
    ]


def test_what_blocks_without_an_end_is_named_while_it_does_and_not_again(watched: Watched) -> None:
    agent = watched.load("agent.py")
    watched.run(lambda: agent.block_until(watched.heard), goes_on_s=0.5)
    [(words, _)] = watched.said
    assert words.startswith("agent.py:13 in block_until has blocked the event loop for 0.")
    assert "and goes on" in words


def test_a_loop_that_has_much_to_do_is_not_blocked(watched: Watched) -> None:
    agent = watched.load("agent.py")
    watched.run(lambda: agent.work_in_pieces(1.0))
    assert watched.said == []


def test_a_package_that_blocks_where_no_code_of_the_project_is_at_work_is_named(watched: Watched) -> None:
    package = watched.load(".roadstead/lib/python3/site-packages/slow/client.py")
    watched.run(lambda: package.block(0.3))
    assert [once for _, once in watched.said] == ["blocking slow/client.py:5 in block"]


def test_the_project_is_named_before_the_package_that_it_calls(watched: Watched) -> None:
    package = watched.load(".roadstead/lib/python3/site-packages/slow/client.py")
    agent = watched.load("agent.py")
    watched.run(lambda: agent.block_by(package.wait, 0.3))
    assert [once for _, once in watched.said] == ["blocking agent.py:19 in block_by"]
