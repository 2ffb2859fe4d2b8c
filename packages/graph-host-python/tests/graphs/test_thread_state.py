"""States of threads: read, changed and listed."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AnyMessage
from langgraph.errors import InvalidUpdateError
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, interrupt

from roadstead_host.channel.errors import HostCallError
from roadstead_host.checkpoints.saver import EngineSaver
from roadstead_host.checkpoints.serde import create_serde
from roadstead_host.graphs.graph_config import with_checkpointer
from support.engine_double import EngineDouble
from support.sample_graph import SampleGraph, asker

THREAD: Any = {"configurable": {"thread_id": "t"}}
HELLO = {"messages": [{"role": "user", "content": "hello"}]}


class Messages(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]


class Answers(TypedDict, total=False):
    answers: Annotated[list[str], operator.add]


def stages() -> Any:
    graph = StateGraph(Messages)
    graph.add_node("first", lambda _: {"messages": [("ai", "one")]})
    graph.add_node("second", lambda _: {"messages": [("ai", "two")]})
    return graph.add_edge(START, "first").add_edge("first", "second").compile()


def questions() -> Any:
    """Two tasks, each of which asks."""
    graph = StateGraph(Answers)
    for name in ("left", "right"):
        graph.add_node(name, lambda _, name=name: {"answers": [f"{name} {interrupt(name + '?')}"]})
        graph.add_edge(START, name)
    return graph.compile()


def run(double: EngineDouble, compiled: Any, *inputs: Any) -> Any:
    view = with_checkpointer(compiled, EngineSaver(double.peer, create_serde()), None)
    for one in inputs:
        view.invoke(one, THREAD)
    return view


def told(
    double: EngineDouble, compiled: Any, tell: Callable[[Any], Coroutine[Any, Any, Any]]
) -> tuple[Any, SampleGraph]:
    graph = SampleGraph(compiled)
    return asyncio.run(tell(asker(double, graph))), graph


def contents_of(values: Any) -> list[str]:
    return [message["content"] for message in values["messages"]]


def test_when_a_thread_has_no_checkpoint_then_its_state_is_empty(double: EngineDouble) -> None:
    state, _ = told(double, stages(), lambda ask: ask("state.get", thread_id="nowhere"))
    assert (state["checkpoint"], state["parent_checkpoint"], state["created_at"]) == (None, None, None)
    assert (state["next"], state["tasks"], state["interrupts"]) == ([], [], [])


def test_when_a_state_is_read_then_it_has_values_and_place(double: EngineDouble) -> None:
    run(double, stages(), HELLO)
    user = {"identity": "ann", "permissions": ["read"]}
    state, graph = told(
        double,
        stages(),
        lambda ask: ask("state.get", thread_id="t", configurable={"mood": "calm"}, user=user),
    )
    assert contents_of(state["values"]) == ["hello", "one", "two"]
    assert state["checkpoint"].items() >= {"thread_id": "t", "checkpoint_ns": ""}.items()
    assert state["checkpoint"]["checkpoint_id"] > state["parent_checkpoint"]["checkpoint_id"]
    assert state["metadata"].items() >= {"source": "loop", "step": 2}.items()
    assert (graph.opened, graph.closed) == (["threads.read"], 1)
    assert (graph.compiled.checkpointer, graph.compiled.store) == (None, None)
    assert (
        graph.configs[0]["configurable"].items()
        >= {
            "mood": "calm",
            "graph_id": "sample",
            "langgraph_auth_user_id": "ann",
        }.items()
    )


def test_when_an_older_checkpoint_is_named_then_the_state_is_that_of_its_time(double: EngineDouble) -> None:
    run(double, stages(), HELLO)

    async def ask_twice(ask: Any) -> Any:
        listed = (await ask("state.history", thread_id="t", limit=10))["states"]
        place = {"checkpoint_id": listed[1]["checkpoint"]["checkpoint_id"]}
        older = await ask("state.history", thread_id="t", limit=1, before=place)
        first = await ask("state.history", thread_id="t", limit=9, filter={"source": "input"})
        return listed, await ask("state.get", thread_id="t", checkpoint=place), older, first

    (listed, state, older, first), _ = told(double, stages(), ask_twice)
    assert [one["next"] for one in listed] == [[], ["second"], ["first"], ["__start__"]]
    assert contents_of(state["values"]) == ["hello", "one"]
    assert [one["next"] for one in older["states"]] == [["first"]]
    assert [one["next"] for one in first["states"]] == [["__start__"]]


def test_when_one_of_two_questions_is_answered_then_the_other_is_shown(double: EngineDouble) -> None:
    view = run(double, questions(), {"answers": []})
    state, _ = told(double, questions(), lambda ask: ask("state.get", thread_id="t"))
    assert [one["value"] for one in state["interrupts"]] == ["left?", "right?"]
    view.invoke(Command(resume={state["interrupts"][0]["id"]: "yes"}), THREAD)
    state, _ = told(double, questions(), lambda ask: ask("state.get", thread_id="t"))
    assert [(one["name"], len(one["interrupts"])) for one in state["tasks"]] == [("left", 0), ("right", 1)]
    assert [one["value"] for one in state["interrupts"]] == ["right?"]


def test_when_a_task_failed_then_its_state_has_the_words(double: EngineDouble) -> None:
    def fail(_: Messages) -> dict[str, Any]:
        raise LookupError("not there")

    graph: Any = StateGraph(Messages)
    compiled = graph.add_node("fail", fail).add_edge(START, "fail").compile()
    with pytest.raises(LookupError):
        run(double, compiled, HELLO)
    state, _ = told(double, compiled, lambda ask: ask("state.get", thread_id="t"))
    assert [(one["name"], one["state"], one["checkpoint"]) for one in state["tasks"]] == [
        ("fail", None, None)
    ]
    assert "not there" in state["tasks"][0]["error"]


def test_when_a_subgraph_waits_then_its_state_comes_if_asked_for(double: EngineDouble) -> None:
    inner = StateGraph(Answers).add_node("ask", lambda _: {"answers": [interrupt("Who?")]})
    outer = StateGraph(Answers).add_node("inner", inner.add_edge(START, "ask").compile())
    compiled = outer.add_edge(START, "inner").compile()
    run(double, compiled, {"answers": []})

    async def ask_both(ask: Any) -> Any:
        without = await ask("state.get", thread_id="t")
        whole = await ask("state.get", thread_id="t", subgraphs=True)
        place = without["tasks"][0]["checkpoint"]
        return without, whole, await ask("state.get", thread_id="t", checkpoint=place)

    (without, whole, of_subgraph), _ = told(double, compiled, ask_both)
    assert without["tasks"][0]["checkpoint"]["checkpoint_ns"].startswith("inner:")
    assert without["tasks"][0]["state"] is None
    inside = whole["tasks"][0]["state"]
    assert (inside["next"], inside["checkpoint"]["checkpoint_ns"]) == (
        ["ask"],
        without["tasks"][0]["checkpoint"]["checkpoint_ns"],
    )
    assert of_subgraph["next"] == ["ask"]


def update(*updates: Any, **options: Any) -> Any:
    steps = [{"updates": one if isinstance(one, list) else [one]} for one in updates]
    return lambda ask: ask("state.update", thread_id="t", supersteps=steps, **options)


def test_when_a_state_is_updated_then_the_next_one_builds_on_it(double: EngineDouble) -> None:
    compiled = stages()
    run(double, compiled, HELLO)
    written, graph = told(double, compiled, update({"values": HELLO, "as_node": "second"}))
    state, _ = told(double, compiled, lambda ask: ask("state.get", thread_id="t"))
    assert state["checkpoint"]["checkpoint_id"] == written["checkpoint"]["checkpoint_id"]
    assert contents_of(state["values"]) == ["hello", "one", "two", "hello"]
    assert (graph.opened, graph.closed) == (["threads.update"], 1)


def test_when_an_update_has_several_steps_then_each_is_a_checkpoint(double: EngineDouble) -> None:
    one = {"values": {"answers": ["a"]}, "as_node": "left"}
    both = [one, {"values": {"answers": ["b"]}, "as_node": "right"}]
    told(double, questions(), update({"values": {"answers": ["s"]}, "as_node": "__start__"}, both))
    assert len(double.checkpoints("t")) == 2
    state, _ = told(double, questions(), lambda ask: ask("state.get", thread_id="t"))
    assert (state["values"], state["next"]) == ({"answers": ["s", "a", "b"]}, [])


def test_when_an_update_ends_a_thread_then_nothing_is_next(double: EngineDouble) -> None:
    run(double, questions(), {"answers": []})
    told(double, questions(), update({"as_node": "__end__"}))
    state, _ = told(double, questions(), lambda ask: ask("state.get", thread_id="t"))
    assert (state["next"], state["interrupts"]) == ([], [])


def test_when_an_update_is_a_command_then_it_goes_where_it_says(double: EngineDouble) -> None:
    compiled = stages()
    run(double, compiled, HELLO)
    command = {"update": {"messages": [{"role": "ai", "content": "back"}]}, "goto": "second"}
    told(double, compiled, update({"command": command, "as_node": "first"}))
    state, _ = told(double, compiled, lambda ask: ask("state.get", thread_id="t"))
    assert contents_of(state["values"])[-1] == "back"
    assert state["next"] == ["second"]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (update({"values": HELLO, "as_node": "nobody"}), "nobody"),
        (update({"values": HELLO, "as_node": "first"}, checkpoint={"checkpoint_id": "gone"}), '"gone"'),
        (update({"values": {"messages": 5}, "as_node": "first"}), "."),
        (update({"command": {"goto": 5}, "as_node": "first"}), "by its name"),
        (update(), "."),
        (update([]), "."),
    ],
)
def test_when_an_update_can_not_be_made_then_it_is_refused_by_name(
    double: EngineDouble, asked: Any, words: str
) -> None:
    with pytest.raises(InvalidUpdateError, match=words):
        told(double, stages(), asked)


def test_when_the_engine_refuses_an_update_then_it_is_no_mistake_of_who_asked(double: EngineDouble) -> None:
    double.refused["checkpoint.put"] = "Outage"
    with pytest.raises(HostCallError) as raised:
        told(double, stages(), update({"values": HELLO, "as_node": "first"}))
    assert raised.value.name == "Outage"


def test_when_a_value_is_no_json_then_the_rest_of_the_state_is_shown(double: EngineDouble) -> None:
    class Odd(TypedDict, total=False):
        odd: Any
        plain: str

    graph = StateGraph(Odd).add_node("node", lambda _: {"odd": {1, 2}, "plain": "text"})
    compiled = graph.add_edge(START, "node").compile()
    run(double, compiled, {"plain": "text"})
    state, _ = told(double, compiled, lambda ask: ask("state.get", thread_id="t"))
    assert state["values"] == {"odd": [1, 2], "plain": "text"}
