"""Checks made of JSON Schemas, and what they say of a value that does not fit."""

from __future__ import annotations

from typing import Any

import pytest

from roadstead_host.channel.errors import MalformedFrameError
from roadstead_host.channel.frame_checks import host_answers, host_messages, host_questions
from roadstead_host.channel.shape_check import ShapeCompiler

DEFINITIONS: dict[str, dict[str, Any]] = {
    "Tree": {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/Leaf"}}}},
    "Leaf": {"type": "string"},
    "Chain": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Chain"}}, "x-max-depth": 3},
}


@pytest.mark.parametrize(
    ("shape", "good", "bad", "fault"),
    [
        ({"type": "string"}, ["", "a"], 5, " must be a text"),
        ({"type": "number"}, [1, 1.5], float("nan"), " must be a number"),
        ({"type": "number"}, [0], True, " must be a number"),
        ({"type": "integer"}, [1, 2.0], 1.5, " must be a whole number"),
        ({"type": "boolean"}, [True, False], 1, " must be true or false"),
        ({"type": "null"}, [None], 0, " must be null"),
        ({"const": True}, [True], 1, " must be true"),
        ({"enum": ["a", "b"]}, ["a", "b"], "c", ' must be "a" or "b"'),
        ({"type": "integer", "minimum": 0, "x-blob": True}, [0, 1], 2, " must be below the number of blobs"),
        ({"type": "integer", "minimum": 0}, [9], -1, " must be at least 0"),
        ({"type": "array", "items": {"type": "string"}}, [[], ["a"], ("a",)], ["a", 5], "[1] must be a text"),
        ({"type": "array", "maxItems": 1}, [[1]], [1, 2], " must be a list of at most 1"),
        ({"prefixItems": [{"type": "string"}], "type": "array"}, [["a"]], ["a", "b"], " must be a list of 1"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, [None, "a"], 5, " must be a text"),
        ({"anyOf": [{"type": "string"}, {"type": "number"}]}, [1, "a"], [], " must have one of 2 forms"),
        (
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
            [{"a": "", "b": 1}],
            {},
            ".a is missing",
        ),
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            [{"x": "y"}],
            {"secret": 5},
            ".* must be a text",
        ),
        (
            {"type": "object", "dependentRequired": {"a": ["b"]}},
            [{"a": 1, "b": 1}, {"b": 1}],
            {"a": 1},
            ".b is missing",
        ),
        ({"$ref": "#/$defs/Tree"}, [{}, {"kids": ["a"]}], {"kids": [1]}, ".kids[0] must be a text"),
        (
            {"$ref": "#/$defs/Chain"},
            [{}, {"next": {"next": {}}}],
            {"next": {"next": {"next": {}}}},
            ".next.next.next must be at most 3 levels deep",
        ),
        ({"$ref": "#/$defs/Chain"}, [{"next": {}}], {"next": {"next": 5}}, ".next.next must be an object"),
    ],
)
def test_when_a_value_is_checked_then_the_fault_names_its_place(
    shape: dict[str, Any], good: list[Any], bad: Any, fault: str
) -> None:
    check = ShapeCompiler(DEFINITIONS).compile(shape)
    assert check is not None
    assert [check(one, 2) for one in good] == [None] * len(good)
    assert check(bad, 2) == fault


def test_when_members_of_a_union_have_a_tag_then_the_fault_is_that_of_the_member() -> None:
    def member(tag: str) -> dict[str, Any]:
        properties = {"kind": {"type": "string", "const": tag}, tag: {"type": "string"}}
        return {"type": "object", "properties": properties, "required": ["kind", tag]}

    check = ShapeCompiler({}).compile({"oneOf": [member("a"), member("b")]})
    assert check is not None
    assert check({"kind": "b", "b": ""}, 0) is None
    assert check({"kind": "b", "b": 1}, 0) == ".b must be a text"
    assert check({"kind": ["b"]}, 0) == '.kind must be "a" or "b"'


def test_when_half_an_attempt_is_named_then_the_write_is_refused() -> None:
    writes = {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "c", "task_id": "t", "writes": []}
    host_questions.check("checkpoint.put_writes", writes)
    with pytest.raises(MalformedFrameError, match=r'in "checkpoint.put_writes", params.attempt is missing'):
        host_messages.check("checkpoint.put_writes", {**writes, "run_id": "r"})


def test_when_a_state_has_the_state_of_a_subgraph_then_both_are_checked_alike() -> None:
    def state(of_task: Any) -> dict[str, Any]:
        task = {"id": "t", "name": "n", "error": None, "interrupts": [], "checkpoint": None, "state": of_task}
        places = {"checkpoint": None, "parent_checkpoint": None, "created_at": None}
        return {"next": [], "tasks": [task], "metadata": {}, "interrupts": [], **places}

    host_answers.check("state.get", state(state(None)))
    with pytest.raises(
        MalformedFrameError, match=r"result.tasks\[0\].state.tasks\[0\].state must be an object"
    ):
        host_answers.check("state.get", state(state("none")))
    deep: Any = None
    for _ in range(65):
        deep = state(deep)
    with pytest.raises(MalformedFrameError, match=r"state must be at most 64 levels deep"):
        host_answers.check("state.get", deep)
