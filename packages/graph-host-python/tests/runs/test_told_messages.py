"""Messages and events that runs tell while they go on."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.graph.message import push_message
from langgraph.types import Command

from support.plain_graph import one_node
from support.run_double import Runs, human, with_runs


@pytest.mark.parametrize("has_chunks", [False, True])
def test_when_a_node_returns_its_whole_history_then_nothing_is_told_again(has_chunks: bool) -> None:
    graph = one_node(
        lambda state: {"messages": [*state["messages"], AIMessage(str(len(state["messages"])))]},
        MessagesState,
    )

    async def work(runs: Runs) -> None:
        told = [
            (await runs.run("graph", human("x"), thread_id="t", chunks=has_chunks)).texts() for _ in range(3)
        ]
        assert told == [["1"], ["3"], ["5"]]

    with_runs({"graph": graph}, work)


def test_when_a_message_is_plain_data_then_it_is_told_once() -> None:
    class State(TypedDict):
        messages: Annotated[list[Any], lambda old, new: old + new]

    answer = {"role": "assistant", "content": "plain", "tool_calls": [{"id": 5, "name": "t", "args": {1}}]}
    builder = (
        StateGraph(State).add_node("one", lambda _: {"messages": [answer]}).add_node("two", lambda _: {})
    )
    graph = builder.add_edge(START, "one").add_edge("one", "two").compile()

    async def work(runs: Runs) -> None:
        end = await runs.run("graph", {"messages": []}, chunks=True)
        [piece, whole] = end.events
        assert piece == {"kind": "chunk", "message_id": whole["message"]["id"], "text": "plain"}
        assert whole["message"]["tool_calls"] == [{"id": "5", "name": "t", "args": [1]}]

    with_runs({"graph": graph}, work)


def test_when_a_model_speaks_then_pieces_have_their_speaker_and_its_end() -> None:
    model = FakeListChatModel(responses=["hello"])

    async def say(state: MessagesState) -> Any:
        return {"messages": [await model.ainvoke("hi")]}

    async def work(runs: Runs) -> None:
        modes = {"modes": ["messages-tuple"], "subgraphs": False}
        end = await runs.run("graph", human("x"), stream=modes, plain=False)
        [last] = [event for event in end.events if event["kind"] == "said"]
        pieces = [event for event in end.events if event.get("event") == "messages"]
        assert "".join(event["data"][0]["content"] for event in pieces) == "hello"
        assert {event["speaker"] for event in pieces} == {last["speaker"]}
        assert end.events[-1] == last

    with_runs({"graph": one_node(say, MessagesState)}, work)


def test_when_messages_are_streamed_the_older_way_then_those_of_nodes_are_and_no_input() -> None:
    model = FakeListChatModel(responses=["hi"])

    async def say(state: MessagesState) -> Any:
        return {"messages": [await model.ainvoke("x"), AIMessage("whole", id="w")]}

    async def work(runs: Runs) -> None:
        modes = {"modes": ["messages"], "subgraphs": False}
        end = await runs.run("graph", human("x"), stream=modes, plain=False)
        told = [(event["event"], event["data"]) for event in end.events if event["kind"] == "stream"]
        names = [name for name, _ in told]
        partial = "messages/partial"
        assert names[:3] == ["messages/metadata", partial, partial]
        assert names[-2:] == ["messages/metadata", "messages/complete"]
        texts = [data[0]["content"] for name, data in told if name != "messages/metadata"]
        assert (texts[:2], texts[-1]) == (["h", "hi"], "whole")

    with_runs({"graph": one_node(say, MessagesState)}, work)


def test_when_events_are_streamed_then_their_metadata_has_the_place_of_their_own_node() -> None:
    model = FakeListChatModel(responses=["hi"])

    async def say(state: MessagesState) -> Any:
        return {"messages": [await model.ainvoke("x")]}

    async def work(runs: Runs) -> None:
        modes = {"modes": ["events"], "subgraphs": False}
        end = await runs.run("graph", human("x"), stream=modes, plain=False)
        told = [event["data"] for event in end.events if event["kind"] == "stream"]
        places = [one["metadata"]["checkpoint_ns"] for one in told if one["event"] == "on_chat_model_end"]
        assert [place.startswith("node:") for place in places] == [True]

    with_runs({"graph": one_node(say, MessagesState)}, work)


def test_when_a_node_pushes_a_message_then_it_is_told_once_before_the_node_ends() -> None:
    def push(state: MessagesState) -> Any:
        push_message(AIMessage("pushed", id="p"))
        return {"messages": [AIMessage("returned")]}

    async def work(runs: Runs) -> None:
        for chunks in (False, True):
            end = await runs.run("graph", human("x"), chunks=chunks)
            assert end.texts() == ["pushed", "returned"]

    with_runs({"graph": one_node(push, MessagesState)}, work)


def test_when_tools_are_called_then_their_results_are_told_to_who_follows() -> None:
    call = {"id": "c", "name": "search", "args": {"q": 1}}
    messages = [AIMessage("", tool_calls=[call]), ToolMessage("found", tool_call_id="c"), AIMessage("done")]

    async def work(runs: Runs) -> None:
        end = await runs.run("graph", human("x"), chunks=True)
        [told] = [
            event["message"]
            for event in end.events
            if event["kind"] == "message" and event["message"]["role"] == "tool"
        ]
        assert (told["name"], told["text"], told["told"]) == ("search", "found", "once")

    with_runs({"graph": one_node(lambda _: {"messages": messages}, MessagesState)}, work)


def test_when_an_attempt_goes_on_then_it_tells_what_its_run_told_and_nothing_older() -> None:
    graph = one_node(lambda state: {"messages": [AIMessage(str(len(state["messages"])))]}, MessagesState)

    async def work(runs: Runs) -> None:
        await runs.run("graph", human("one"), thread_id="t")
        after = runs.double.checkpoints("t")[0]["checkpoint_id"]
        await runs.run("graph", human("two"), thread_id="t", run_id="r", durability="sync")
        again = await runs.run(
            "graph", None, thread_id="t", run_id="r", attempt=2, goes_on={"after": after}, durability="sync"
        )
        assert [text for text in again.texts() if text != "two"] == ["3"]

    with_runs({"graph": graph}, work)


def test_when_a_message_has_no_id_then_the_state_and_the_event_have_the_same() -> None:
    graph = one_node(lambda _: {"messages": [AIMessage("a"), HumanMessage("b")]}, MessagesState)

    async def work(runs: Runs) -> None:
        end = await runs.run("graph", human("x"), values=True)
        told = [event["message"]["id"] for event in end.events]
        assert told == [message["id"] for message in end.outcome["values"]["messages"][1:]]

    with_runs({"graph": graph}, work)


def test_when_nodes_return_commands_then_their_messages_are_told() -> None:
    builder = StateGraph(MessagesState)
    builder.add_node("one", lambda _: Command(goto="two", update={"messages": [AIMessage("first")]}))
    graph = (
        builder.add_node("two", lambda _: {"messages": AIMessage("second")}).add_edge(START, "one").compile()
    )

    async def work(runs: Runs) -> None:
        assert (await runs.run("graph", human("x"))).texts() == ["first", "second"]

    with_runs({"graph": graph}, work)
