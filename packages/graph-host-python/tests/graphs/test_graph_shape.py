"""What graphs look like from outside."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from inspect import signature
from typing import Any, TypedDict

import pytest
from langgraph.graph import START, MessagesState, StateGraph
from pydantic import BaseModel, Field

from support.engine_double import EngineDouble
from support.sample_graph import SampleGraph, asker

HAS_CONTEXT = "context_schema" in signature(StateGraph).parameters


class Opaque:
    """A type that JSON Schema has no words for."""


class Odd(TypedDict, total=False):
    opaque: Opaque
    name: str


class Model(BaseModel):
    name: str = Field(description="Who")
    age: int = 3


@dataclass
class Context:
    mood: str = "calm"


def graph_of(state: Any, **options: Any) -> Any:
    return StateGraph(state, **options).add_node("one", lambda _: {}).add_edge(START, "one").compile()


def told(double: EngineDouble, compiled: Any, tell: Callable[[Any], Coroutine[Any, Any, Any]]) -> Any:
    return asyncio.run(tell(asker(double, SampleGraph(compiled))))


def schemas_of(double: EngineDouble, compiled: Any) -> Any:
    return told(double, compiled, lambda ask: ask("schemas"))


def test_when_a_state_has_messages_then_their_schema_says_what_they_are(double: EngineDouble) -> None:
    found = schemas_of(double, graph_of(MessagesState))
    assert found["graph_id"] == "sample"
    for name in ("input_schema", "output_schema", "state_schema"):
        messages = found[name]["properties"]["messages"]
        assert messages["type"] == "array" or "anyOf" in messages
        assert "HumanMessage" in found[name]["$defs"]
    assert (found["config_schema"], found["context_schema"]) == (None, None)


def test_when_a_state_is_a_model_then_its_fields_are_told(double: EngineDouble) -> None:
    found = schemas_of(double, graph_of(Model))
    assert found["input_schema"]["properties"]["name"]["description"] == "Who"
    assert found["input_schema"]["required"] == ["name"]
    assert set(found["state_schema"]["properties"]) == {"name", "age"}
    assert found["output_schema"]["properties"]["age"]["type"] == "integer"


def test_when_input_and_output_differ_from_the_state_then_each_has_its_own(double: EngineDouble) -> None:
    class Whole(TypedDict, total=False):
        question: str
        notes: list[str]
        answer: str

    class Input(TypedDict):
        question: str

    class Output(TypedDict):
        answer: str

    names = signature(StateGraph).parameters
    given: dict[str, Any] = (
        {"input_schema": Input, "output_schema": Output}
        if "input_schema" in names
        else {"input": Input, "output": Output}
    )
    found = schemas_of(double, graph_of(Whole, **given))
    properties = [
        set(found[name]["properties"]) for name in ("input_schema", "output_schema", "state_schema")
    ]
    assert properties == [{"question"}, {"answer"}, {"question", "notes", "answer"}]


def test_when_a_type_has_no_schema_then_the_others_are_told(double: EngineDouble) -> None:
    found = schemas_of(double, graph_of(Odd))
    for name in ("input_schema", "output_schema", "state_schema"):
        properties = found[name]["properties"]
        assert set(properties) == {"opaque", "name"}
        assert properties["name"]["type"] == "string"
        assert "type" not in properties["opaque"]


def test_when_a_graph_has_a_context_then_its_schema_is_told(double: EngineDouble) -> None:
    found = schemas_of(
        double, graph_of(Model, **{"context_schema" if HAS_CONTEXT else "config_schema": Context})
    )
    assert found["context_schema"]["properties"] == {
        "mood": {"default": "calm", "title": "Mood", "type": "string"}
    }
    assert found["config_schema"] == found["context_schema"]


def test_when_schemas_are_asked_again_then_the_graph_is_not_made_again(double: EngineDouble) -> None:
    graph = SampleGraph(graph_of(Model))

    async def ask_twice(ask: Any) -> Any:
        return await ask("schemas"), await ask("schemas")

    first, second = asyncio.run(ask_twice(asker(double, graph)))
    assert first == second
    assert (graph.opened, graph.closed) == (["assistants.read"], 1)


@pytest.fixture
def nested() -> Any:
    middle = StateGraph(Model).add_node("deep", graph_of(Model)).add_edge(START, "deep").compile()
    return StateGraph(Model).add_node("middle", middle).add_edge(START, "middle").compile()


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ({"recurse": False}, ["middle"]),
        ({"recurse": True}, ["middle", "middle|deep"]),
        ({"recurse": True, "namespace": "middle|deep"}, ["middle|deep"]),
        ({"recurse": False, "namespace": "other"}, []),
    ],
    ids=str,
)
def test_when_subgraphs_are_asked_for_then_they_come_by_namespace(
    double: EngineDouble, nested: Any, asked: Any, names: Any
) -> None:
    found = told(double, nested, lambda ask: ask("subgraphs", **asked))["subgraphs"]
    assert sorted(found) == names
    assert all(set(one["state_schema"]["properties"]) == {"name", "age"} for one in found.values())


def test_when_a_graph_is_drawn_then_subgraphs_open_as_far_as_asked(double: EngineDouble, nested: Any) -> None:
    async def draw(ask: Any) -> Any:
        return [await ask("graph", xray=xray) for xray in (False, 1, True)]

    drawings = told(double, nested, draw)
    nodes = [[node["id"] for node in drawing["nodes"]] for drawing in drawings]
    assert nodes[0] == ["__start__", "middle", "__end__"]
    assert nodes[1] == ["__start__", "middle:deep", "__end__"] or "middle:deep" in nodes[1]
    assert "middle:deep:one" in nodes[2]
    assert {"source": "__start__", "target": "middle"}.items() <= drawings[0]["edges"][0].items()
