"""Messages as plain data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
)
from pydantic import BaseModel

from roadstead_host.values.content_parts import parts_of, text_of
from roadstead_host.values.messages import MessageIds, messages_in, plain_message, plain_values


@pytest.mark.parametrize(
    ("message", "role"),
    [
        (HumanMessage("x"), "user"),
        (AIMessage("x"), "assistant"),
        (AIMessageChunk(content="x"), "assistant"),
        (SystemMessage("x"), "system"),
        (ToolMessage("x", tool_call_id="c"), "tool"),
        (FunctionMessage(content="x", name="f"), "tool"),
        (ChatMessage(content="x", role="user"), "user"),
        (ChatMessage(content="x", role="developer"), "system"),
        ({"role": "assistant", "content": "x"}, "assistant"),
        ({"type": "human", "content": "x"}, "user"),
    ],
)
def test_when_a_message_has_a_type_then_it_has_a_role(message: Any, role: str) -> None:
    plain = plain_message(message, MessageIds())
    assert plain is not None
    assert (plain["role"], plain["text"]) == (role, "x")


@pytest.mark.parametrize(
    "message", [RemoveMessage(id="1"), ChatMessage(content="x", role="critic"), {"content": "x"}]
)
def test_when_a_message_is_none_of_a_conversation_then_it_is_not_told(message: Any) -> None:
    assert plain_message(message, MessageIds()) is None


def test_when_a_message_has_no_id_then_it_keeps_the_one_that_it_is_given() -> None:
    ids = MessageIds()
    plain: dict[str, Any] = {"role": "user", "content": "x"}
    message = HumanMessage("x")
    assert ids.of(plain) == ids.of(plain) != ids.of({**plain})
    assert ids.of(message) == message.id


def test_when_a_message_holds_more_than_text_then_it_has_parts() -> None:
    blocks: list[Any] = [
        "Here: ",
        {"type": "image", "base64": "iVBO", "mime_type": "image/png"},
        {"type": "data", "data": {"set": {1}}},
    ]
    plain = plain_message(AIMessage(blocks, additional_kwargs={"a2a": "message"}), MessageIds())
    assert plain is not None
    assert (plain["text"], plain["by_itself"]) == ("Here: ", True)
    assert plain["parts"] == [
        {"kind": "text", "text": "Here: "},
        {"kind": "file", "file": {"bytes": "iVBO"}, "media_type": "image/png"},
        {"kind": "data", "data": {"set": [1]}},
    ]


@pytest.mark.parametrize(
    ("block", "part"),
    [
        ({"type": "text_delta", "text": "x"}, {"kind": "text", "text": "x"}),
        ({"type": "text", "text": 5}, None),
        ({"type": "thinking", "thinking": "hm"}, None),
        ({"type": "tool_use", "id": "1"}, None),
        (
            {"type": "image_url", "image_url": {"url": "data:image/gif;base64,R0lG"}},
            {"kind": "file", "file": {"bytes": "R0lG"}, "media_type": "image/gif"},
        ),
        ({"type": "image_url", "image_url": "https://a/b"}, {"kind": "file", "file": {"uri": "https://a/b"}}),
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}},
            {"kind": "file", "file": {"bytes": "iVBO"}, "media_type": "image/png"},
        ),
        (
            {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,JVBE"}},
            {"kind": "file", "file": {"bytes": "JVBE"}, "media_type": "application/pdf", "name": "a.pdf"},
        ),
        (
            {"type": "input_audio", "input_audio": {"data": "UklG"}},
            None,
        ),
        (
            {"type": "audio", "data": b"\x00\x01", "metadata": {"title": "song"}},
            {"kind": "file", "file": {"bytes": "AAE="}, "name": "song"},
        ),
        ({"type": "file", "url": ""}, None),
        ({"type": "non_standard", "value": 1}, {"kind": "data", "data": 1}),
        (
            {"type": "data", "data": 1, "metadata": {"mimeType": "a/b"}},
            {"kind": "data", "data": 1, "media_type": "a/b"},
        ),
    ],
)
def test_when_a_block_is_of_any_generation_then_it_is_a_part_or_none(block: Any, part: Any) -> None:
    assert parts_of([block]) == ([] if part is None else [part])


def test_when_a_content_is_a_text_then_it_is_one_part() -> None:
    assert parts_of("hello") == [{"kind": "text", "text": "hello"}]
    assert parts_of("") == parts_of(None) == []
    assert text_of([{"type": "text", "text": "a"}, "b", {"type": "image"}, 5]) == "ab"


def test_when_a_node_returns_any_kind_of_state_then_its_messages_are_found() -> None:
    one, two = HumanMessage("one"), AIMessage("two")

    class Model(BaseModel):
        messages: list[BaseMessage]

    @dataclass
    class State:
        last: BaseMessage

    for update in ({"messages": [one], "last": two}, [{"a": one}, two], (Model(messages=[one]), State(two))):
        assert [message.content for message in messages_in(update)] == ["one", "two"]
    assert messages_in("text") == messages_in({"a": "b", "c": [1]}) == []


def test_when_values_are_larger_than_a_megabyte_then_they_are_left_out() -> None:
    assert plain_values({"a": "x" * 1_100_000}) is None
    assert plain_values({"m": [AIMessage("hi", id="1")]}) == {
        "m": [{"id": "1", "role": "assistant", "text": "hi"}]
    }
