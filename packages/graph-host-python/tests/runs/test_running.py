"""Runs from their begin to their end."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Send, interrupt

from support.engine_double import Fields
from support.plain_graph import Plain, one_node
from support.run_double import Runs, human, with_runs


def test_when_a_run_ends_then_its_output_is_what_is_new() -> None:
    graph = one_node(lambda state: {"messages": [AIMessage("fine")]}, MessagesState)

    async def work(runs: Runs) -> None:
        for turn in ("one", "two"):
            end = await runs.run("graph", human(turn), thread_id="t")
            assert end.outcome["outcome"] == "success"
            assert [message["text"] for message in end.outcome["output"]["messages"]] == ["fine"]
            assert end.texts() == ["fine"]

    with_runs({"graph": graph}, work)


def test_when_functions_make_a_graph_then_its_value_is_the_output() -> None:
    @task
    def double(number: int) -> int:
        return number * 2

    @entrypoint()
    def flow(number: int, *, previous: Any = None) -> Any:
        return {"sum": double(number).result() + (previous or {"sum": 0})["sum"]}

    async def work(runs: Runs) -> None:
        first = await runs.run("flow", 2, thread_id="t")
        second = await runs.run("flow", 2, thread_id="t")
        assert (first.outcome["output"], second.outcome["output"]) == ({"sum": 4}, {"sum": 8})

    with_runs({"flow": flow}, work)


def test_when_a_factory_makes_a_graph_then_it_is_called_for_each_run() -> None:
    made: list[Any] = []

    async def make(config: Any) -> Any:
        made.append(config["configurable"]["graph_id"])
        return StateGraph(Plain).add_node("node", lambda _: {"value": len(made)}).add_edge(START, "node")

    async def work(runs: Runs) -> None:
        for _ in range(2):
            assert (await runs.run("made", {})).outcome["outcome"] == "success"
        assert made == ["made", "made"]

    with_runs({"made": make}, work)


def test_when_several_tasks_ask_then_each_question_names_its_task_and_answers_go_by_id() -> None:
    builder = StateGraph(Plain).add_node("ask", lambda state: {"log": [interrupt(state["value"])]})
    builder.add_conditional_edges(START, lambda _: [Send("ask", {"value": f"q{at}"}) for at in range(2)])
    graph = builder.add_edge("ask", END).compile()

    async def work(runs: Runs) -> None:
        asked = await runs.run("graph", {"log": []}, thread_id="t")
        interrupts = asked.outcome["interrupts"]
        assert sorted(one["value"] for one in interrupts) == ["q0", "q1"]
        assert len({one["task_id"] for one in interrupts}) == 2
        assert asked.outcome["next"] == ["ask", "ask"]
        answers = {one["id"]: one["value"].upper() for one in interrupts}
        end = await runs.run("graph", None, thread_id="t", command={"resume": answers})
        assert sorted(end.outcome["output"]["log"]) == ["Q0", "Q1"]

    with_runs({"graph": graph}, work)


def test_when_a_graph_asks_for_credentials_then_the_question_says_so() -> None:
    graph = one_node(lambda _: {"value": interrupt({"a2a": "credentials", "at": {1}})})

    async def work(runs: Runs) -> None:
        [asked] = (await runs.run("graph", {})).outcome["interrupts"]
        assert (asked["wants"], asked["value"]) == ("credentials", {"a2a": "credentials", "at": [1]})

    with_runs({"graph": graph}, work)


def test_when_a_command_goes_to_a_node_then_it_goes_on_there() -> None:
    builder = (
        StateGraph(Plain)
        .add_node("one", lambda _: {"log": ["one"]})
        .add_node("two", lambda _: {"log": ["two"]})
    )
    graph = builder.add_edge(START, "one").compile()

    async def work(runs: Runs) -> None:
        end = await runs.run("graph", None, command={"goto": "two", "update": {"value": 1}})
        assert end.outcome["output"]["value"] == 1
        assert "two" in end.outcome["output"]["log"]

    with_runs({"graph": graph}, work)


@dataclass
class Context:
    model: str = "small"


def test_when_a_graph_has_a_schema_of_context_then_it_gets_what_is_said_and_its_defaults() -> None:
    pytest.importorskip("langgraph.runtime", reason="LangGraph before 0.6 has no contexts")
    from langgraph.runtime import get_runtime

    graph = one_node(lambda _: {"value": get_runtime(Context).context.model}, context_schema=Context)

    async def work(runs: Runs) -> None:
        said: list[Fields] = [
            {},
            {"context": {"model": "large"}},
            {"context": {"model": "large", "x-header": "y"}, "configured": ["x-header"]},
        ]
        ends = [await runs.run("graph", {}, **params) for params in said]
        assert [end.outcome["output"]["value"] for end in ends] == ["small", "large", "large"]
        wrong = await runs.run("graph", {}, context={"size": 1})
        assert "size" in wrong.outcome["error"]["message"]

    with_runs({"graph": graph}, work)


def test_when_a_run_has_a_user_then_the_graph_sees_fields_and_items() -> None:
    def node(state: Plain, config: RunnableConfig) -> Any:
        user = config["configurable"]["langgraph_auth_user"]
        return {"value": [user.identity, user["email"], user.email, user.permissions]}

    async def work(runs: Runs) -> None:
        user = {"identity": "ali", "permissions": ["read"], "email": "a@b"}
        end = await runs.run("graph", {}, user=user)
        assert end.outcome["output"]["value"] == ["ali", "a@b", "a@b", ["read"]]

    with_runs({"graph": one_node(node)}, work)


def test_when_a_value_has_no_words_then_it_is_null_and_the_run_goes_on() -> None:
    class Mute:
        def __repr__(self) -> str:
            raise RuntimeError("mute")

        def model_dump(self) -> Any:
            raise RuntimeError("mute")

    async def work(runs: Runs) -> None:
        modes = {"modes": ["custom"], "subgraphs": False}
        end = await runs.run("graph", {}, stream=modes, values=True, durability="exit")
        assert end.streamed("custom") == [{"mute": None, "fine": 1}]
        assert end.outcome["outcome"] == "success"

    def node(state: Plain) -> Any:
        from langgraph.config import get_stream_writer

        get_stream_writer()({"mute": Mute(), "fine": 1})
        return {"value": 1}

    with_runs({"graph": one_node(node)}, work)


def test_when_a_run_names_a_checkpoint_that_is_not_there_then_it_fails() -> None:
    async def work(runs: Runs) -> None:
        end = await runs.run("graph", {}, checkpoint={"checkpoint_id": "nowhere"})
        assert "nowhere" in end.outcome["error"]["message"]

    with_runs({"graph": one_node(lambda _: {})}, work)


def test_when_runs_wait_outside_then_they_wait_together() -> None:
    async def wait(state: Plain) -> Any:
        await asyncio.sleep(0.2)
        return {"value": 1}

    async def work(runs: Runs) -> float:
        began = time.monotonic()
        ends = await asyncio.gather(*(runs.run("graph", {}) for _ in range(20)))
        assert {end.outcome["outcome"] for end in ends} == {"success"}
        return time.monotonic() - began

    assert with_runs({"graph": one_node(wait)}, work) < 3
