"""Runs from their begin to their end."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from threading import Event
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.func import entrypoint, task
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.message import push_message
from langgraph.types import Command, Send, StreamWriter, interrupt

from support.engine_double import Fields
from support.run_double import Runs, human, with_runs


class Plain(TypedDict, total=False):
    value: Any
    log: Annotated[list[str], lambda old, new: old + new]


def one_node(node: Any, state: Any = Plain, **options: Any) -> Any:
    return StateGraph(state, **options).add_node("node", node).add_edge(START, "node").compile()


def test_when_a_run_ends_then_its_output_is_what_is_new() -> None:
    graph = one_node(lambda state: {"messages": [AIMessage("fine")]}, MessagesState)

    async def work(runs: Runs) -> None:
        for turn in ("one", "two"):
            end = await runs.run("graph", human(turn), thread_id="t")
            assert end.outcome["outcome"] == "success"
            assert [message["text"] for message in end.outcome["output"]["messages"]] == ["fine"]
            assert end.texts() == ["fine"]

    with_runs({"graph": graph}, work)


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


def test_when_a_run_names_a_checkpoint_that_is_not_there_then_it_fails() -> None:
    async def work(runs: Runs) -> None:
        end = await runs.run("graph", {}, checkpoint={"checkpoint_id": "nowhere"})
        assert "nowhere" in end.outcome["error"]["message"]

    with_runs({"graph": one_node(lambda _: {})}, work)


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
