"""Which values are in the checkpoint itself."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Any

import pytest

from roadstead_host.checkpoints.inline_values import split_values


class Mood(StrEnum):
    CALM = "calm"


@pytest.mark.parametrize("value", [None, True, 0, -(2**53), 0.1, -1.5e-7, "", "ä" * 1000])
def test_when_json_gives_a_value_back_then_it_is_inline(value: Any) -> None:
    assert split_values({"one": value}) == ({"one": value}, {})


@pytest.mark.parametrize(
    "value",
    [2**53 + 1, 2.0, -0.0, 1e300, math.inf, math.nan, "a\0b", "\ud800", "x" * 1001, Mood.CALM, [1], b"1"],
)
def test_when_json_would_change_a_value_then_it_is_beside(value: Any) -> None:
    inline, beside = split_values({"one": value})
    assert inline == {}
    assert beside["one"] is value


def test_when_a_value_is_whole_among_differences_then_it_is_marked() -> None:
    types = pytest.importorskip("langgraph.checkpoint.serde.types")
    if not hasattr(types, "_DeltaSnapshot"):
        pytest.skip("this langgraph-checkpoint stores no differences")
    snapshot = types._DeltaSnapshot([1])
    assert split_values({"one": snapshot}) == ({"one": True}, {"one": snapshot})
