"""Values of graphs as JSON."""

from __future__ import annotations

import json
from collections import deque, namedtuple
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from ipaddress import ip_address
from pathlib import PurePosixPath
from re import compile as pattern
from typing import Any
from uuid import UUID

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.types import Send
from pydantic import BaseModel

from roadstead_host.values.json import json_of, json_text


class Word(Enum):
    A = "a"


class Number(IntEnum):
    ONE = 1


@dataclass
class Pair:
    shown: int = 1
    _hidden: int = 2


class Model(BaseModel):
    at: datetime = datetime(2020, 1, 1)
    data: bytes = b"x"
    found: set[int] = {1}


Named = namedtuple("Named", "a b")


class Mute:
    """Has no words at all."""

    def __repr__(self) -> str:
        raise RuntimeError("mute")

    def model_dump(self) -> Any:
        raise RuntimeError("mute")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, None),
        ({"a": [1, 1.5, "x", True]}, {"a": [1, 1.5, "x", True]}),
        (Word.A, "a"),
        (Number.ONE, 1),
        (Pair(), {"shown": 1}),
        (Model(), {"at": "2020-01-01T00:00:00", "data": "eA==", "found": [1]}),
        (Named(1, {2}), {"a": 1, "b": [2]}),
        ((1, (2,)), [1, [2]]),
        (deque([1]), [1]),
        (frozenset([1]), [1]),
        (datetime(2020, 1, 1, tzinfo=UTC), "2020-01-01T00:00:00+00:00"),
        (date(2020, 1, 1), "2020-01-01"),
        (time(1, 2), "01:02:00"),
        (timedelta(seconds=1.5), 1.5),
        (UTC, "UTC"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (Decimal("1.50"), 1.5),
        (Decimal(2), 2),
        (Decimal("NaN"), None),
        (b"\xff\x00ab", "/wBhYg=="),
        (bytearray(b"x"), "eA=="),
        (float("nan"), None),
        (float("-inf"), None),
        (PurePosixPath("/x"), "/x"),
        (pattern("a+"), "a+"),
        (ip_address("1.1.1.1"), "1.1.1.1"),
        ([Send("node", {"of": {1}})], [{"node": "node", "args": {"of": [1]}}]),
        (ValueError("x"), {"error": "ValueError", "message": "x"}),
        (object(), None),
        (len, None),
        (Model, None),
        (1 + 2j, None),
        (2**53 - 1, 2**53 - 1),
        (2**53, "9007199254740992"),
        ([2**70, -(2**70)], ["1180591620717411303424", "-1180591620717411303424"]),
        ({1: 2, None: 3, Word.A: 4, UUID(int=1): 5}, {"1": 2, "null": 3, "a": 4, str(UUID(int=1)): 5}),
        ({(1, 2): 3, "kept": Mute()}, {"kept": None}),
        ({2**70: 1}, {"1180591620717411303424": 1}),
        ([Mute(), {"x": Mute(), "y": {1}}], [None, {"x": None, "y": [1]}]),
        ({"half": "a\ud800", "when": date(2020, 1, 1)}, {"half": "a\ud800", "when": "2020-01-01"}),
        (
            {"slow": 2**60, "pair": Pair(), "named": Named(1, 2), "word": Word.A, "one": Number.ONE},
            {
                "slow": "1152921504606846976",
                "pair": {"shown": 1},
                "named": {"a": 1, "b": 2},
                "word": "a",
                "one": 1,
            },
        ),
    ],
)
def test_when_a_value_is_written_then_it_is_as_the_original_has_it(value: Any, said: Any) -> None:
    assert json.loads(json_text(value)) == said


def test_when_a_value_holds_itself_then_that_place_is_left_out() -> None:
    tree: dict[str, Any] = {"list": [1], "same": 0}
    tree["self"] = tree
    tree["list"].append(tree)
    tree["same"] = tree["twice"] = {"a": 1}
    assert json_of(tree) == {"list": [1], "same": {"a": 1}, "twice": {"a": 1}}


def test_when_a_value_is_deeper_than_all_that_is_read_then_its_depths_are_null() -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    assert json_text(deep).startswith(b"[[[[")
    assert json_text(deep).count(b"[") < 1000


def test_when_a_message_is_written_then_it_has_all_fields_and_its_type() -> None:
    said = json_of({"messages": [HumanMessage("hi", id="1"), AIMessage([{"type": "text", "text": "yes"}])]})
    assert [message["type"] for message in said["messages"]] == ["human", "ai"]
    assert said["messages"][0]["id"] == "1"
    assert said["messages"][1]["content"] == [{"type": "text", "text": "yes"}]
    assert said["messages"][1]["tool_calls"] == []
