"""Values and questions of a thread that graphs in JavaScript wrote, read and gone on with."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Annotated, Any, TypedDict
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Command, Send, interrupt

from roadstead_host.checkpoints.javascript_values import send_of
from roadstead_host.checkpoints.saver import EngineSaver
from roadstead_host.checkpoints.serde import create_serde
from roadstead_host.checkpoints.typed_blobs import BlobReader
from support.engine_double import EngineDouble


def read(value: Any) -> Any:
    text = json.dumps(value, separators=(",", ":")).encode()
    return BlobReader(create_serde(), [text]).read({"type": "json", "blob": 0})


def record(name: str, *args: Any, **more: Any) -> dict[str, Any]:
    return {
        "lc": 2,
        "type": "constructor",
        "id": [name],
        "method": None,
        "args": [*args],
        "kwargs": {},
        **more,
    }


UNDEFINED = {"lc": 2, "type": "undefined"}


@pytest.mark.parametrize(
    ("written", "known"),
    [
        (record("Set", [1, "a", 1]), {1, "a"}),
        (record("Set", [[1], {"a": 1}]), [[1], {"a": 1}]),
        (record("Map", [["a", 1], [2, record("Set", [3])]]), {"a": 1, 2: {3}}),
        (record("Map", [[{"a": 1}, 1]]), [[{"a": 1}, 1]]),
        (record("Uint8Array", [1, 255], method="from"), b"\x01\xff"),
        (record("RegExp", "a+", "gi"), re.compile("a+", re.IGNORECASE)),
        (record("RegExp", "(?<a>.)", ""), "(?<a>.)"),
        (UNDEFINED, None),
        ([UNDEFINED, [UNDEFINED]], [None, [None]]),
        ({"a": UNDEFINED, "b": {"c": UNDEFINED, "d": 1}}, {"b": {"d": 1}}),
        (record("Elsewhere", 1), record("Elsewhere", 1)),
    ],
)
def test_when_javascript_marked_a_value_then_it_is_read_as_the_like_of_python(
    written: Any, known: Any
) -> None:
    assert read(written) == known


def test_when_javascript_wrote_an_error_then_it_is_read_as_one() -> None:
    found = read(record("Error", "no luck"))
    assert (type(found), str(found)) == (Exception, "no luck")


def message(kind: str, **fields: Any) -> dict[str, Any]:
    said = {"additional_kwargs": {}, "response_metadata": {}, **fields}
    return {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", kind], "kwargs": said}


CALL = {"name": "look", "args": {"at": "sea"}, "id": "c", "type": "tool_call"}
MESSAGES = [
    message("HumanMessage", content="hello", id="h", name=UNDEFINED),
    message(
        "AIMessage", content="", id="a", tool_calls=[CALL], invalid_tool_calls=[], usage_metadata=UNDEFINED
    ),
    message("ToolMessage", content="calm", tool_call_id="c", id="t", status="success", name="look"),
]


def test_when_javascript_wrote_messages_then_they_are_those_of_langchain() -> None:
    human, ai, tool = read(MESSAGES)
    assert (type(human), human.content, human.id) == (HumanMessage, "hello", "h")
    assert (type(ai), ai.tool_calls) == (AIMessage, [CALL])
    assert (type(tool), tool.content, tool.tool_call_id) == (ToolMessage, "calm", "c")


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]
    kept: str


async def answer(state: State) -> dict[str, Any]:
    heard = state["messages"][-1].text
    said = f"{interrupt('Sure?')}" if heard == "ask" else f"{len(state['messages'])}: {heard} {state['kept']}"
    return {"messages": [AIMessage(said)]}


def graph_of(double: EngineDouble) -> Any:
    saver = EngineSaver(double.peer, create_serde())
    return StateGraph(State).add_node(answer).add_edge(START, "answer").add_edge("answer", END).compile(saver)


def put_as_javascript(double: EngineDouble, thread_id: str, **more: Any) -> dict[str, Any]:
    """A checkpoint as the host of JavaScript puts it."""
    versions = {"__start__": 2.25, "messages": 3.5, "kept": 2.75, "branch:to:answer": 3.125}
    values: dict[str, Any] = {"messages": MESSAGES, "kept": "it", **more.pop("values", {})}
    texts = [json.dumps(value, separators=(",", ":")).encode() for value in values.values()]
    channels = [
        {"channel": channel, "version": str(versions[channel]), "type": "json", "blob": at}
        for at, channel in enumerate(values)
    ]
    checkpoint_id = "1f0cc000-0000-6000-8000-000000000001"
    put = {
        "thread_id": thread_id,
        "checkpoint_ns": "",
        "checkpoint_id": checkpoint_id,
        "parent_checkpoint_id": None,
        "checkpoint": {
            "v": 4,
            "id": checkpoint_id,
            "ts": "2026-11-28T18:00:00.000Z",
            "channel_versions": versions,
            "versions_seen": {
                "__input__": {},
                "__start__": {"__start__": 1.5},
                "answer": {"branch:to:answer": 2.5},
                **more.pop("seen", {}),
            },
        },
        "metadata": {"source": "loop", "step": 1, "parents": {}},
        "channels": channels,
    }
    double.peer.ask("checkpoint.put", put, texts).result()
    return {"configurable": {"thread_id": thread_id}}


def test_when_a_thread_of_javascript_goes_on_then_what_it_held_is_there(double: EngineDouble) -> None:
    thread_id = str(uuid4())
    config = put_as_javascript(double, thread_id, seen={"answer": {"branch:to:answer": 3.125}})
    compiled = graph_of(double)

    async def talk() -> Any:
        await compiled.ainvoke({"messages": [("human", "again")]}, config)
        await compiled.ainvoke({"messages": [("human", "more")]}, config)
        return (await compiled.aget_state(config)).values

    values = asyncio.run(talk())
    contents = [one.content for one in values["messages"]]
    assert contents == ["hello", "", "calm", "again", "4: again it", "more", "6: more it"]
    assert values["kept"] == "it"
    # Versions stay numbers, by which what nobody wrote again is found.
    newest = double.checkpoints(thread_id)[0]["checkpoint"]["channel_versions"]
    assert newest["kept"] == 2.75
    assert newest["messages"] > 4


@pytest.mark.parametrize("is_list", [False, True])
def test_when_a_thread_waits_for_an_answer_then_python_takes_it(double: EngineDouble, is_list: bool) -> None:
    thread_id = str(uuid4())
    asked = [message("HumanMessage", content="ask", id="h")]
    config = put_as_javascript(double, thread_id, values={"messages": asked, "branch:to:answer": None})
    asks: Any = {"id": "0" * 32, "value": "Sure?"}
    question = json.dumps([asks] if is_list else asks, separators=(",", ":")).encode()
    write = {"channel": "__interrupt__", "idx": -3, "type": "json", "blob": 0}
    place = {
        "thread_id": thread_id,
        "checkpoint_ns": "",
        "checkpoint_id": "1f0cc000-0000-6000-8000-000000000001",
        "task_id": "00000000-0000-5000-8000-000000000001",
        "writes": [write],
    }
    double.peer.ask("checkpoint.put_writes", place, [question]).result()
    compiled = graph_of(double)

    async def answer_it() -> Any:
        before = await compiled.aget_state(config)
        ended = await compiled.ainvoke(Command(resume="yes"), config)
        return before.next, [one.content for one in ended["messages"]]

    assert asyncio.run(answer_it()) == (("answer",), ["ask", "yes"])


def test_when_javascript_sent_to_a_node_then_python_knows_the_packet() -> None:
    assert send_of({"node": "look", "args": {"a": 1}}) == Send("look", {"a": 1})
    assert send_of({"node": 1}) == {"node": 1}
