"""Answers what the engine asks of graphs that don't run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from ..channel.frame_checks import host_answers
from ..channel.frames import JsonBytes
from ..channel.json_text import Json
from ..values.json import json_text
from .graph_shape import GraphShapes, draw_graph, read_subgraphs
from .loaded_graph import LoadedGraph
from .thread_state import StateTools, list_states, read_state, update_state

Params: TypeAlias = Mapping[str, Json]
Answer: TypeAlias = Callable[[Params], Awaitable[JsonBytes]]


def create_graph_answers(
    find_graph: Callable[[str], Awaitable[LoadedGraph]], tools: StateTools
) -> dict[str, Answer]:
    """The answers by method. `find_graph` loads the project if need be, and raises for an unknown graph."""
    shapes = GraphShapes()

    async def list_history(graph: LoadedGraph, params: Params) -> Any:
        return {"states": await list_states(graph, tools, params)}

    async def list_subgraphs(graph: LoadedGraph, params: Params) -> Any:
        return {"subgraphs": await read_subgraphs(graph, params)}

    works: dict[str, Callable[[LoadedGraph, Params], Awaitable[Any]]] = {
        "state.get": lambda graph, params: read_state(graph, tools, params),
        "state.update": lambda graph, params: update_state(graph, tools, params),
        "state.history": list_history,
        "schemas": lambda graph, _params: shapes.schemas(graph),
        "subgraphs": list_subgraphs,
        "graph": lambda graph, params: draw_graph(graph, params["xray"]),
    }

    def answer_by(method: str, work: Callable[[LoadedGraph, Params], Awaitable[Any]]) -> Answer:
        async def answer(params: Params) -> JsonBytes:
            result = await work(await find_graph(params["graph_id"]), params)
            # Values of user code may be anything; what is around them is ours.
            host_answers.check(method, result)
            return JsonBytes(json_text(result))

        return answer

    return {method: answer_by(method, work) for method, work in works.items()}
