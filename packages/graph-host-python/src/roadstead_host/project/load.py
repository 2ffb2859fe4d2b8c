"""Loads the graphs that `langgraph.json` names."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from langchain_core.runnables import RunnableBinding
from langgraph.graph import StateGraph
from langgraph.pregel import Pregel

from ..channel.errors import LoadError
from .describe import describe_graph, langgraph_version
from .exports import ProjectFolder, export_of
from .load_error import load_errors
from .loaded_graph import LoadedGraph, compiled_of, source_of


@dataclass(frozen=True, slots=True)
class LoadedGraphs:
    by_id: Mapping[str, LoadedGraph]
    # Their part of the manifest.
    manifest: dict[str, Any]

    def find(self, graph_id: str) -> LoadedGraph:
        graph = self.by_id.get(graph_id)
        if graph is None:
            raise LookupError(f"There is no graph “{graph_id}” in this revision.")
        return graph


async def load_graphs(named: Mapping[str, Any], folder: ProjectFolder, store: Any) -> LoadedGraphs:
    """
    Raises a sentence that says which graph is wrong, and how. Modules are imported on another thread: many
    run an event loop of their own while they are loaded.
    """
    loaded: dict[str, LoadedGraph] = {}
    for graph_id, entry in named["graphs"].items():
        who = f"Graph “{graph_id}” ({entry['path']})"
        with load_errors(f"{who} could not be loaded", folder.root):
            exported = await asyncio.to_thread(_export, folder, entry["path"], who)
            source = source_of(await _settled(exported, who, folder), who, folder.root)
        loaded[graph_id] = LoadedGraph(
            graph_id,
            who,
            folder.root,
            description=entry.get("description"),
            a2a=entry.get("a2a"),
            store=store,
            source=source,
        )
    described = [await describe_graph(graph) for graph in loaded.values()]
    manifest = {
        "graphs": [description for description, _ in described],
        "langgraph_version": langgraph_version(),
        "stores_deltas": any(stores_deltas for _, stores_deltas in described),
    }
    return LoadedGraphs(loaded, manifest)


def _export(folder: ProjectFolder, path: str, who: str) -> Any:
    module, name = folder.module(path, who)
    return _only_graph(module, who, folder.root) if name is None else export_of(module, name, who)


def _only_graph(module: ModuleType, who: str, root: Path) -> Any:
    """A path without an export means the graph of the module: a compiled one before a builder."""
    values = [value for name, value in vars(module).items() if not name.startswith("_")]
    compiled = next((value for value in values if isinstance(value, Pregel)), None)
    # Modules and other things have a `compile`, too.
    others = [value for value in values if not isinstance(value, ModuleType)]
    # Things that are no builders may have a `compile`: those that surely are come first.
    builders = sorted(others, key=lambda value: not isinstance(value, (StateGraph, RunnableBinding)))
    found = compiled or next((value for value in builders if compiled_of(value, who, root) is not None), None)
    if found is None:
        raise LoadError(f"{who} names no export, and its module has no graph.")
    return found


async def _settled(exported: Any, who: str, folder: ProjectFolder) -> Any:
    """Some make their graph asynchronously, and export the coroutine of it."""
    if not inspect.isawaitable(exported):
        return exported
    with load_errors(f"{who} could not be made", folder.root):
        return await exported
