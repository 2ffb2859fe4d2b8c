"""What `checkpointer.serde` of langgraph.json allows."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from typing import Any

import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from roadstead_host.checkpoints.serde import SerdeSettingsError, create_serde, serde_options

HAS_LISTS = "allowed_msgpack_modules" in signature(JsonPlusSerializer.__init__).parameters
needs_lists = pytest.mark.skipif(not HAS_LISTS, reason="this langgraph-checkpoint has no lists")


@dataclass
class Mood:
    name: str


class Opaque:
    """What msgpack can't write."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque)

    __hash__ = None  # type: ignore[assignment]


def there_and_back(settings: Any, value: Any) -> Any:
    serde = create_serde(settings)
    return serde.loads_typed(serde.dumps_typed(value))


@needs_lists
@pytest.mark.parametrize("settings", [None, {}, {"allowed_msgpack_modules": True}], ids=str)
def test_when_nothing_is_restricted_then_a_type_of_the_project_comes_back(settings: Any) -> None:
    assert there_and_back(settings, Mood("calm")) == Mood("calm")


@needs_lists
def test_when_types_are_listed_then_only_those_come_back() -> None:
    path = [Mood.__module__, "Mood"]
    assert there_and_back({"allowed_msgpack_modules": [path]}, Mood("calm")) == Mood("calm")
    for strict in ([["other", "Type"]], None, False):
        assert there_and_back({"allowed_msgpack_modules": strict}, Mood("calm")) == {"name": "calm"}


@needs_lists
def test_when_json_constructors_are_listed_then_only_those_come_back() -> None:
    text = b'{"lc": 2, "type": "constructor", "id": ["collections", "Counter"], "args": ["aab"]}'
    allowed = create_serde({"allowed_json_modules": [["collections", "Counter"]]})
    assert allowed.loads_typed(("json", text)) == {"a": 2, "b": 1}
    assert create_serde().loads_typed(("json", text)) != {"a": 2, "b": 1}


def test_when_pickles_are_refused_then_what_needs_one_is_not_written() -> None:
    assert there_and_back({}, Opaque()) == Opaque()
    with pytest.raises(TypeError):
        there_and_back({"pickle_fallback": False}, Opaque())


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"pickle_fallback": "yes"}, r"checkpointer\.serde\.pickle_fallback must be true or false"),
        ({"allowed_json_modules": "a.b"}, r"checkpointer\.serde\.allowed_json_modules must be"),
        ({"allowed_msgpack_modules": ["a.b"]}, r"checkpointer\.serde\.allowed_msgpack_modules must be"),
        ({"allowed_msgpack_modules": [[]]}, r"checkpointer\.serde\.allowed_msgpack_modules must be"),
    ],
    ids=str,
)
def test_when_a_setting_is_wrong_then_it_is_named(settings: Any, named: str) -> None:
    with pytest.raises(SerdeSettingsError, match=named):
        create_serde(settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"allowed_msgpack_modules": [["a", "B"]]},
        {"allowed_json_modules": None},
        {"pickle_fallback": True},
    ],
    ids=str,
)
def test_when_a_setting_can_not_be_kept_then_it_is_refused(settings: Any) -> None:
    with pytest.raises(SerdeSettingsError, match="needs a newer langgraph-checkpoint"):
        serde_options(settings, known=())


@pytest.mark.parametrize(
    "settings", [{}, {"allowed_json_modules": True}, {"pickle_fallback": False}], ids=str
)
def test_when_a_serializer_knows_no_options_then_it_is_made_without_them(settings: Any) -> None:
    assert serde_options(settings, known=()) == {}
