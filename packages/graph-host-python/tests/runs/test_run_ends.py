"""How runs end: cancelled, failed, or left amid their stream."""

from __future__ import annotations

import asyncio
from threading import Event
from typing import Any

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.types import StreamWriter

from support.plain_graph import Plain, one_node
from support.run_double import Runs, with_runs


def test_when_a_run_is_cancelled_then_nodes_that_await_are_stopped() -> None:
    stopped: list[str] = []

    async def wait(state: Plain) -> Any:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.append("node")
            raise

    async def work(runs: Runs) -> None:
        whole = runs.begin("graph", {"value": 1})
        await runs.until(lambda: len(runs.double.checkpoints(whole["thread_id"])) >= 2)
        assert runs.running.cancel(whole["run_id"], 1, "drain", None)
        end = await runs.end_of(whole)
        assert end.outcome == {"outcome": "cancelled", "reason": "drain"}
        assert (stopped, len(runs.running)) == (["node"], 0)
        assert not runs.running.cancel(whole["run_id"], 1, "drain", None)

    with_runs({"graph": one_node(wait)}, work)


def test_when_a_run_is_cancelled_before_it_begins_then_it_has_an_end() -> None:
    async def work(runs: Runs) -> None:
        whole = runs.begin("graph", {"value": 1})
        assert runs.running.cancel(whole["run_id"], 1, "cancel", "because")
        assert (await runs.end_of(whole)).outcome == {"outcome": "cancelled", "reason": "cancel"}

    with_runs({"graph": one_node(lambda _: {})}, work)


def test_when_a_plain_function_runs_on_after_its_run_then_its_result_is_dropped() -> None:
    begun, leave = Event(), Event()

    def block(state: Plain) -> Any:
        begun.set()
        leave.wait(20)
        return {"value": "late"}

    async def work(runs: Runs) -> None:
        whole = runs.begin("graph", {"value": 1})
        await asyncio.to_thread(begun.wait)
        runs.running.cancel(whole["run_id"], 1, "cancel", None)
        end = await runs.end_of(whole)
        leave.set()
        assert end.outcome["outcome"] == "cancelled"

    with_runs({"graph": one_node(block)}, work)


def test_when_a_node_raises_then_the_run_fails_with_its_first_line() -> None:
    def fail(state: Plain) -> Any:
        raise {"empty": ValueError(), "odd": Odd()}.get(state["value"], KeyError("one\ntwo"))

    class Odd(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    async def work(runs: Runs) -> None:
        errors = [
            (await runs.run("graph", {"value": how})).outcome["error"] for how in ("line", "empty", "odd")
        ]
        assert [(error["name"], error["message"]) for error in errors] == [
            ("KeyError", "'one\\ntwo'"),
            ("ValueError", "ValueError"),
            ("Error", "What was raised can’t be read."),
        ]

    with_runs({"graph": one_node(fail)}, work)


def test_when_the_engine_has_no_room_then_a_graph_waits_unless_it_is_cancelled() -> None:
    steps: list[int] = []

    def say(state: Plain) -> Any:
        steps.append(1)
        return {"value": "x" * 400_000, "log": ["."]}

    builder = StateGraph(Plain).add_node("say", say).add_edge(START, "say")
    graph = builder.add_conditional_edges(
        "say", lambda state: "say" if len(state["log"]) < 50 else END
    ).compile()

    async def work(runs: Runs) -> None:
        runs.double.room.clear()
        modes = {"modes": ["values"], "subgraphs": False}
        whole = runs.begin("graph", {"log": []}, stream=modes, recursion_limit=100, durability="exit")
        await runs.until(lambda: "ask emit" in runs.double.heard)
        before = len(steps)
        assert before < 20
        runs.running.cancel(whole["run_id"], 1, "cancel", None)
        runs.double.room.set()
        assert (await runs.end_of(whole)).outcome["outcome"] == "cancelled"

    with_runs({"graph": graph}, work)


@pytest.mark.parametrize("durability", ["exit", "async"])
@pytest.mark.parametrize("how", ["waits for room", "says too much"])
def test_when_a_run_is_left_amid_its_stream_then_its_end_is_the_last_that_is_told(
    how: str, durability: str
) -> None:
    left: list[str] = []

    async def say(state: Plain, writer: StreamWriter) -> Any:
        try:
            for _ in range(5):
                writer("x" * (1_100_000 if how == "waits for room" else 33_000_000))
            await asyncio.Event().wait()
        finally:
            # Who tidies up takes a moment.
            await asyncio.sleep(0.3)
            left.append("node")

    async def work(runs: Runs) -> None:
        runs.double.room.clear()
        modes = {"modes": ["custom"], "subgraphs": False}
        whole = runs.begin("graph", {"value": 1}, stream=modes, durability=durability)
        if how == "waits for room":
            await runs.until(lambda: "ask emit" in runs.double.heard)
            # The engine hears nothing else while it has no room.
            runs.running.cancel(whole["run_id"], 1, "cancel", None)
            runs.double.room.set()
        end = await runs.end_of(whole)
        assert left == ["node"]
        assert end.outcome["outcome"] == ("cancelled" if how == "waits for room" else "error")
        assert runs.double.heard[-1] == "tell done"

    with_runs({"graph": one_node(say)}, work)


def test_when_an_event_is_too_long_then_the_run_fails() -> None:
    async def work(runs: Runs) -> None:
        modes = {"modes": ["updates"], "subgraphs": False}
        end = await runs.run("graph", {}, stream=modes, durability="exit")
        assert "longer than 32 MB" in end.outcome["error"]["message"]

    with_runs({"graph": one_node(lambda _: {"value": "x" * 33_000_000})}, work)
