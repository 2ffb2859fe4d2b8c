"""The context of a run, by the schema of its graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypedDict

import pytest
from pydantic import BaseModel, ConfigDict, Field

from roadstead_host.runs.whole_context import whole_context


@dataclass
class Plain:
    model: str = "small"


@dataclass
class Needy:
    model: str


class Model(BaseModel):
    model: str = Field("small", alias="theModel")


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class Typed(TypedDict, total=False):
    model: str


@pytest.mark.parametrize(
    ("schema", "given", "configured", "whole"),
    [
        (None, None, [], {}),
        (None, {"a": 1}, ["a"], {"a": 1}),
        (Plain, None, [], {}),
        (Needy, None, [], None),
        (Plain, {"model": "x", "extra": 1}, [], {"model": "x", "extra": 1}),
        (Plain, {"model": "x", "extra": 1}, ["extra", "model"], {"model": "x"}),
        (Model, {"theModel": "x", "extra": 1}, ["extra", "theModel"], {"theModel": "x"}),
        (Open, {"extra": 1}, ["extra"], {"extra": 1}),
        (Typed, {"model": "x", "extra": 1}, ["extra"], {"model": "x"}),
        (Plain, "text", [], "text"),
    ],
)
def test_when_a_context_is_given_then_it_is_what_the_schema_knows(
    schema: Any, given: Any, configured: list[str], whole: Any
) -> None:
    assert whole_context(schema, given, configured) == whole
