"""Channels that are stored as differences."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph

from roadstead_host.checkpoints.deltas import deltas_of, stores_deltas, values_in
from roadstead_host.checkpoints.saver import EngineSaver, SaverRun
from roadstead_host.checkpoints.serde import create_serde
from support.engine_double import EngineDouble

delta = pytest.importorskip("langgraph.channels.delta")
CONFIG: RunnableConfig = {"configurable": {"thread_id": "t"}}


def joined(state: Any, writes: Any) -> list[Any]:
    return [*(state or []), *(one for write in writes for one in write)]


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], delta.DeltaChannel(joined, snapshot_frequency=7)]


def graph_of(saver: Any) -> Any:
    def count(state: State) -> State:
        held = len(state["messages"])
        return {"messages": [AIMessage(str(held), id=f"a{held}")]}

    return StateGraph(State).add_node("count", count).add_edge(START, "count").compile(checkpointer=saver)


def say(name: str) -> State:
    return {"messages": [HumanMessage(name, id=name)]}


def told(saver: Any) -> list[list[Any]]:
    """The states of twenty turns, and of a branch from the tenth."""
    compiled = graph_of(saver)

    async def talk() -> list[list[Any]]:
        for turn in range(20):
            await compiled.ainvoke(say(f"h{turn}"), CONFIG)
        ended = [one async for one in compiled.aget_state_history(CONFIG) if not one.next]
        await compiled.aupdate_state(ended[10].config, say("by hand"), "count")
        await compiled.ainvoke(say("fork"), CONFIG)
        states = [one async for one in compiled.aget_state_history(CONFIG)]
        return [[message.id for message in one.values.get("messages", [])] for one in states]

    return asyncio.run(talk())


def test_when_a_state_is_stored_as_differences_then_it_is_the_same_as_in_memory(double: EngineDouble) -> None:
    ours = told(EngineSaver(double.peer, create_serde()))
    assert ours == told(InMemorySaver())
    assert len(ours[0]) == 23


@pytest.mark.parametrize("is_async", [True, False])
def test_when_differences_are_put_together_then_one_question_does(
    double: EngineDouble, is_async: bool
) -> None:
    saver = EngineSaver(double.peer, create_serde())
    compiled = graph_of(saver)
    for turn in range(6):
        compiled.invoke(say(str(turn)), CONFIG)
    double.heard.clear()
    state = asyncio.run(compiled.aget_state(CONFIG)) if is_async else compiled.get_state(CONFIG)
    assert len(state.values["messages"]) == 12
    assert double.heard == ["ask checkpoint.get", "ask checkpoint.deltas"]


def test_when_a_thread_was_stored_whole_before_then_its_value_is_the_seed(double: EngineDouble) -> None:
    class Whole(TypedDict, total=False):
        note: str

    class Differences(TypedDict, total=False):
        note: Annotated[str, delta.DeltaChannel(lambda state, writes: (state or "") + "".join(writes), str)]

    def compiled_of(state: Any) -> Any:
        graph = StateGraph(state).add_node("note", lambda state: {"note": "b"})
        saver = EngineSaver(double.peer, create_serde())
        return graph.add_edge(START, "note").compile(checkpointer=saver)

    compiled_of(Whole).invoke({"note": "a"}, CONFIG)
    later = compiled_of(Differences)
    later.invoke({"note": "c"}, CONFIG)
    assert later.get_state(CONFIG).values["note"] == "bcb"


def test_when_a_thread_is_new_then_no_question_is_asked(double: EngineDouble) -> None:
    run = SaverRun("r", 1, "t", "async", has_checkpoint=False, metadata={})
    saver = EngineSaver(double.peer, create_serde(), run)
    assert saver.get_delta_channel_history(config=CONFIG, channels=["a"]) == {"a": {"writes": []}}
    assert asyncio.run(saver.aget_delta_channel_history(config=CONFIG, channels=[])) == {}
    assert double.heard == []


def test_when_histories_are_loaded_then_the_run_is_told_what_they_held(double: EngineDouble) -> None:
    heard: list[Any] = []
    compiled = graph_of(EngineSaver(double.peer, create_serde(), on_loaded=heard.append))
    compiled.invoke(say("h"), CONFIG)
    compiled.get_state(CONFIG)
    assert {message.id for message in heard[-1]["messages"]} == {"h", "a1"}
    snapshot = compiled.checkpointer.get_tuple(CONFIG)
    assert deltas_of(snapshot.checkpoint, snapshot.metadata) in (["messages"], [])
    assert stores_deltas(compiled.channels)
    assert not stores_deltas({"a": object()})
    assert values_in({"a": {"writes": [("t", "a", 1)], "seed": [2, 3]}}) == {"a": [2, 3, 1]}
