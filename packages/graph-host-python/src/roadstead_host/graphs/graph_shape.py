"""Describes a graph from outside: its schemas, its subgraphs, its drawing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from ..channel.json_text import Json
from .loaded_graph import LoadedGraph
from .schemas import schemas_of

_NOTHING: dict[str, Any] = {"configurable": {}, "metadata": {}}


class GraphShapes:
    def __init__(self) -> None:
        # They are the same as long as the process lives.
        self._schemas: dict[str, dict[str, Json]] = {}

    async def schemas(self, graph: LoadedGraph) -> dict[str, Json]:
        known = self._schemas.get(graph.graph_id)
        if known is None:
            async with graph.open(_NOTHING, "assistants.read") as compiled:
                known = await asyncio.to_thread(schemas_of, graph.graph_id, compiled)
            self._schemas[graph.graph_id] = known
        return known


async def read_subgraphs(graph: LoadedGraph, params: Mapping[str, Json]) -> dict[str, dict[str, Json]]:
    async with graph.open(_NOTHING, "assistants.read") as compiled:
        found = compiled.aget_subgraphs(namespace=params.get("namespace"), recurse=params["recurse"])
        subgraphs = [one async for one in found]
        return {
            name: await asyncio.to_thread(schemas_of, graph.graph_id, subgraph)
            for name, subgraph in subgraphs
        }


async def draw_graph(graph: LoadedGraph, xray: bool | int) -> dict[str, Json]:
    async with graph.open(_NOTHING, "assistants.read") as compiled:
        drawing = await compiled.aget_graph(xray=xray)
        shown: dict[str, Json] = drawing.to_json()
        return shown
