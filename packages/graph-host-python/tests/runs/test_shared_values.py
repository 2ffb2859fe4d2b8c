"""Values that are said once for many events."""

from __future__ import annotations

from typing import Any

import pytest

from roadstead_host.runs.shared_values import SharedValues, is_shareable


@pytest.mark.parametrize(
    ("value", "may"),
    [
        ({"a": "text", "b": 1, "c": None, "d": 1.5, "e": True}, True),
        ({"tags": ["a", "b"], "path": ("x", 1)}, True),
        ({"tags": ["a"] * 17}, False),
        ({"lc_versions": {"langchain-core": "1.8.3"}}, True),
        ({"a": {str(at): 1 for at in range(17)}}, False),
        ({"a": {"b": {}}}, False),
        ({"a": {1: "b"}}, False),
        ({"a": {"b": "a" * 70_000}}, False),
        ({"a": {"a" * 70_000: 1}}, False),
        ({"a": [{}]}, False),
        ({"a": object()}, False),
        ({1: "a"}, False),
        ({"a": "a" * 70_000}, False),
        ({str(at): 1 for at in range(70_000)}, False),
    ],
)
def test_when_a_value_is_small_and_plain_then_it_may_be_shared(value: Any, may: bool) -> None:
    assert is_shareable(value) is may


def test_when_a_value_is_said_again_then_it_has_its_number_until_it_changes() -> None:
    shared = SharedValues()
    value: dict[str, Any] = {"a": 1, "tags": ["x"], "versions": {"core": "1"}}
    assert [shared.number_of(value), shared.number_of(value)] == [(1, True), (1, False)]
    value["tags"].append("y")
    assert [shared.number_of(value), shared.number_of(value)] == [(2, True), (2, False)]
    value["versions"]["core"] = "2"
    assert [shared.number_of(value), shared.number_of(value)] == [(3, True), (3, False)]
    assert shared.number_of({"a": 1}) == (4, True)
    assert shared.number_of(["a"]) is None


def test_when_many_values_are_said_then_the_last_few_are_known() -> None:
    shared = SharedValues(2)
    values = [{"at": at} for at in range(3)]
    assert [shared.number_of(value) for value in values] == [(1, True), (2, True), (3, True)]
    assert shared.number_of(values[1]) == (2, False)
    assert shared.number_of(values[0]) == (4, True)
