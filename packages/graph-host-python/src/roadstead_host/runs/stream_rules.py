"""LangGraph's debug parts as the LangGraph API shows them. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from ..graphs.state_rules import checkpoint_of, subgraph_checkpoint

Fields: TypeAlias = Mapping[str, Any]

_PRIVATE = ("__", "langgraph_auth_")


def shown_checkpoint(payload: Fields) -> dict[str, Any]:
    """A checkpoint with its tasks, and without what LangGraph keeps in its configuration for itself."""
    config, parent = payload.get("config"), payload.get("parent_config")
    return {
        **payload,
        "config": _shown_config(config),
        "parent_config": _shown_config(parent),
        "checkpoint": checkpoint_of(config),
        "parent_checkpoint": checkpoint_of(parent),
        "tasks": [shown_task(task) for task in payload.get("tasks") or ()],
    }


def checkpoint_mark(payload: Fields) -> dict[str, Any]:
    """Describes a checkpoint and its place, without its state."""
    metadata = payload.get("metadata") or {}
    checkpoint, parent = checkpoint_of(payload.get("config")), checkpoint_of(payload.get("parent_config"))
    mark: dict[str, Any] = {"id": checkpoint and checkpoint["checkpoint_id"]}
    if parent is not None:
        mark["parent_id"] = parent["checkpoint_id"]
    return {**mark, "step": metadata.get("step"), "source": metadata.get("source")}


def shown_task(task: Fields) -> Fields:
    """A task of which the state is a place names its checkpoint instead."""
    state = task.get("state")
    if not isinstance(state, Mapping) or "configurable" not in state:
        return task
    rest = {name: value for name, value in task.items() if name != "state"}
    return {**rest, "checkpoint": subgraph_checkpoint(state)}


def _shown_config(config: Any) -> Fields | None:
    """
    Leaves out names with `__`, which LangGraph hands down to itself, what `auth` says of the user, and
    callbacks, which hold the user's tracers.
    """
    if not isinstance(config, Mapping):
        return None
    configurable = config.get("configurable") or {}
    own = {name: value for name, value in configurable.items() if not str(name).startswith(_PRIVATE)}
    rest = {name: value for name, value in config.items() if name != "callbacks"}
    return {**rest, "configurable": own}
