"""Describes the graphs that the host loaded."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from typing import Any

from langgraph.channels.base import BaseChannel

from ..checkpoints.deltas import stores_deltas
from ..values.own_channels import is_own_channel
from .load_error import load_errors
from .loaded_graph import LoadedGraph


@cache
def langgraph_version() -> str | None:
    try:
        return metadata.version("langgraph")
    except metadata.PackageNotFoundError:
        return None


async def describe_graph(loaded: LoadedGraph) -> tuple[dict[str, Any], bool]:
    """The description of a graph, and whether it stores channels as differences."""
    config: dict[str, Any] = {"configurable": {}, "metadata": {}}
    with load_errors(f"{loaded.who} could not be made", loaded.root):
        async with loaded.open(config, "assistants.read") as graph:
            channels = {
                name: channel
                for name, channel in graph.channels.items()
                if not is_own_channel(name) and isinstance(channel, BaseChannel)
            }
            own = getattr(graph, "description", None)
            description = {
                "graph_id": loaded.graph_id,
                "description": loaded.description or (own if isinstance(own, str) else None),
                "channels": [*channels],
                "has_messages": "messages" in channels,
                **_card_of(loaded, graph),
            }
            return description, stores_deltas(channels)


def _card_of(loaded: LoadedGraph, graph: Any) -> dict[str, Any]:
    """
    Words in `langgraph.json` go before those in the graph's metadata, which are checked by who reads this.
    """
    own = ((graph.config or {}).get("metadata") or {}).get("a2a")
    if own is None:
        return {} if loaded.a2a is None else {"card": loaded.a2a}
    return {"card": {**own, **(loaded.a2a or {})} if isinstance(own, dict) else own}
