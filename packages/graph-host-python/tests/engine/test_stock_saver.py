"""Our saver over the engine and LangGraph's own saver for PostgreSQL, on one database."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Annotated, Any, TypedDict
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, Send, interrupt

from roadstead_host.channel.peer import Peer
from roadstead_host.checkpoints.saver import EngineSaver, SaverRun
from roadstead_host.checkpoints.serde import create_serde

conformance = pytest.importorskip("langgraph.checkpoint.conformance")


class Mood(Enum):
    CALM = "calm"


@dataclass
class Place:
    harbour: str
    berth: int


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    seen: Annotated[list[str], operator.add]
    count: int
    half: float
    whole: float
    large: int
    name: str
    long: str
    nothing: None
    is_on: bool
    place: Place
    mood: Mood
    at: datetime


class Inner(TypedDict, total=False):
    half: float


def fill(state: State) -> dict[str, Any]:
    count = len(state["messages"])
    return {
        "messages": [AIMessage(f"answer {count}", id=f"a{count}")],
        "count": count,
        "half": 0.1,
        "whole": 3.0,
        "large": 2**60 + 1,
        "name": "näme \n",
        "long": "x" * 5000,
        "nothing": None,
        "is_on": True,
        "place": Place("Cuxhaven", 2),
        "mood": Mood.CALM,
        "at": datetime(2026, 1, 2, 3, 4, 5, 6, UTC),
    }


def fan_out(_: State) -> Sequence[Send]:
    return [Send("see", {"seen": [letter]}) for letter in "cab"]


def graph_of(saver: Any) -> Any:
    """Every kind of value, tasks that are sent, a subgraph, and questions."""
    inner = StateGraph(Inner).add_node("inside", lambda _: {"half": 0.1}).add_edge(START, "inside")
    graph = StateGraph(State)
    graph.add_node("fill", fill)
    graph.add_node("see", lambda state: {"seen": state["seen"]})
    graph.add_node("inner", inner.compile())
    graph.add_node("ask", lambda _: {"name": interrupt({"question": "Who?"})})
    graph.add_edge(START, "fill").add_conditional_edges("fill", fan_out, ["see"])
    return graph.add_edge("see", "inner").add_edge("inner", "ask").compile(checkpointer=saver)


def delta_graph_of(saver: Any) -> Any:
    class Differences(TypedDict, total=False):
        messages: Annotated[list[AnyMessage], DeltaChannel(joined, snapshot_frequency=7)]

    def count(state: Differences) -> Differences:
        held = len(state["messages"])
        return {"messages": [AIMessage(str(held), id=f"a{held}")]}

    return (
        StateGraph(Differences).add_node("count", count).add_edge(START, "count").compile(checkpointer=saver)
    )


def joined(state: Any, writes: Any) -> list[Any]:
    return [*(state or []), *(one for write in writes for one in write)]


def say(name: str) -> dict[str, Any]:
    return {"messages": [HumanMessage(name, id=name)]}


def config_on(thread_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id}}


def with_both(
    peer: Peer, database: str, test: Callable[[EngineSaver, AsyncPostgresSaver], Awaitable[None]]
) -> None:
    async def run() -> None:
        async with AsyncPostgresSaver.from_conn_string(database, serde=create_serde()) as stock:
            await test(EngineSaver(peer, create_serde()), stock)

    asyncio.run(run())


async def history_of(compiled: Any, thread_id: str) -> list[Any]:
    """All that a history tells; the order of a state's fields is nobody's."""
    states = [one async for one in compiled.aget_state_history(config_on(thread_id))]
    return [one._replace(values=dict(sorted(one.values.items()))) for one in states]


async def talk(compiled: Any, thread_id: str) -> None:
    config = config_on(thread_id)
    await compiled.ainvoke(say("one"), config)
    await compiled.ainvoke(Command(resume="ann"), config)
    await compiled.ainvoke(say("two"), config)


def test_when_one_saver_wrote_then_the_other_reads_the_same(peer: Peer, database: str) -> None:
    async def test(ours: EngineSaver, stock: AsyncPostgresSaver) -> None:
        for writer in (ours, stock):
            thread_id = str(uuid4())
            await talk(graph_of(writer), thread_id)
            read_by_us = await history_of(graph_of(ours), thread_id)
            read_by_stock = await history_of(graph_of(stock), thread_id)
            assert read_by_us == read_by_stock
            assert [repr(one.values) for one in read_by_us] == [repr(one.values) for one in read_by_stock]
            newest = read_by_us[0]
            assert newest.values["seen"] == [*"cab", *"cab"]
            assert [one.value for one in newest.interrupts] == [{"question": "Who?"}]
            # The order of insertion is the serializer's; the kinds of values are the state's.
            assert newest.values == {
                **newest.values,
                **{name: value for name, value in fill(newest.values).items() if name not in UNLIKE},
            }
            assert type(newest.values["whole"]) is float

    with_both(peer, database, test)


# What the node computes again, and what an answer replaced.
UNLIKE = ("messages", "count", "name")


def test_when_the_savers_take_turns_then_the_thread_goes_on(peer: Peer, database: str) -> None:
    async def test(ours: EngineSaver, stock: AsyncPostgresSaver) -> None:
        thread_id = str(uuid4())
        config = config_on(thread_id)
        await graph_of(stock).ainvoke(say("one"), config)
        await graph_of(ours).ainvoke(Command(resume="ann"), config)
        await graph_of(stock).ainvoke(say("two"), config)
        await graph_of(ours).ainvoke(Command(resume="bob"), config)
        state = await graph_of(stock).aget_state(config)
        assert (state.values["name"], state.next) == ("bob", ())
        assert [one.id for one in state.values["messages"]] == ["one", "a1", "two", "a3"]
        by_us, by_stock = [await history_of(graph_of(saver), thread_id) for saver in (ours, stock)]
        assert by_us == by_stock

    with_both(peer, database, test)


async def delta_states(saver: Any, thread_id: str) -> list[Any]:
    compiled, config = delta_graph_of(saver), config_on(thread_id)
    for turn in range(20):
        await compiled.ainvoke(say(f"h{turn}"), config)
    ended = [one async for one in compiled.aget_state_history(config) if not one.next]
    await compiled.aupdate_state(ended[10].config, say("by hand"), "count")
    await compiled.ainvoke(say("fork"), config)
    return await delta_history(saver, thread_id)


async def delta_history(saver: Any, thread_id: str) -> list[Any]:
    states = await history_of(delta_graph_of(saver), thread_id)
    return [[[message.id for message in one.values.get("messages", [])], one.next] for one in states]


def test_when_a_state_is_stored_as_differences_then_both_savers_rebuild_it(peer: Peer, database: str) -> None:
    async def test(ours: EngineSaver, stock: AsyncPostgresSaver) -> None:
        expected = await delta_states(InMemorySaver(), "t")
        for writer in (ours, stock):
            thread_id = str(uuid4())
            assert await delta_states(writer, thread_id) == expected
            assert await delta_history(ours, thread_id) == expected
            assert await delta_history(stock, thread_id) == expected

    with_both(peer, database, test)


def listed(state: Any) -> list[Any]:
    return state if isinstance(state, list) else [state]


class WholeNote(TypedDict, total=False):
    note: Any


class NoteChanges(TypedDict, total=False):
    note: Annotated[list[Any], DeltaChannel(lambda state, writes: [*listed(state), *writes], list)]


@pytest.mark.parametrize(
    "value", ["a text", "x" * 2000, 5, True, 0.5, [1]], ids=lambda one: type(one).__name__
)
def test_when_a_channel_was_whole_before_then_both_savers_begin_with_its_value(
    peer: Peer, database: str, value: Any
) -> None:
    def compiled_of(state: Any, saver: Any) -> Any:
        graph = StateGraph(state).add_node("node", lambda _: {})
        return graph.add_edge(START, "node").compile(checkpointer=saver)

    async def test(ours: EngineSaver, stock: AsyncPostgresSaver) -> None:
        for writer in (ours, stock):
            config = config_on(str(uuid4()))
            await compiled_of(WholeNote, writer).ainvoke({"note": value}, config)
            for turn in ("b", "c"):
                await compiled_of(NoteChanges, writer).ainvoke({"note": turn}, config)
            for reader in (ours, stock):
                state = await compiled_of(NoteChanges, reader).aget_state(config)
                assert state.values["note"] == [*listed(value), "b", "c"]
                histories = await reader.aget_delta_channel_history(config=state.config, channels=["note"])
                assert histories["note"].get("seed") == value

    with_both(peer, database, test)


def test_when_a_saver_works_without_a_loop_then_the_state_is_the_same(peer: Peer, database: str) -> None:
    config = config_on(str(uuid4()))
    compiled = graph_of(EngineSaver(peer, create_serde()))
    compiled.invoke(say("one"), config)
    compiled.invoke(Command(resume="ann"), config)
    assert compiled.get_state(config).values["name"] == "ann"
    assert [one.next for one in compiled.get_state_history(config)][-1] == ("__start__",)


def test_when_langgraphs_own_suite_runs_then_the_engine_keeps_all_that_savers_must(peer: Peer) -> None:
    async def open_saver() -> Any:
        yield EngineSaver(peer, create_serde())

    registered = conformance.checkpointer_test(
        name="the graph host's saver on the engine",
        skip_capabilities={"delete_for_runs", "copy_thread", "prune"},
    )(open_saver)
    report = asyncio.run(conformance.validate(registered))
    results = {name: one for name, one in report.results.items() if one.detected}
    assert {name: one.failures for name, one in results.items() if not one.passed} == {}
    assert len(results) == 5


def test_when_a_stale_attempt_writes_then_nothing_is_kept(peer: Peer, database: str) -> None:
    thread_id = str(uuid4())
    run = SaverRun(str(uuid4()), 1, thread_id, "async", has_checkpoint=False, metadata={})
    graph_of(EngineSaver(peer, create_serde(), run)).invoke(say("one"), config_on(thread_id))
    assert EngineSaver(peer, create_serde()).get_tuple(config_on(thread_id)) is None
