"""LangGraph's snapshots of a state as the LangGraph API shows them. Values stay as they are. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.types import PregelTask, StateSnapshot

from .resumption import interrupt_id


def thread_state(snapshot: StateSnapshot) -> dict[str, Any]:
    exists = snapshot.created_at is not None
    tasks = [_task_of(one) for one in snapshot.tasks]
    return {
        "values": snapshot.values,
        "next": [*snapshot.next],
        "tasks": tasks,
        "checkpoint": checkpoint_of(snapshot.config) if exists else None,
        "parent_checkpoint": checkpoint_of(snapshot.parent_config) if exists else None,
        "metadata": {**(snapshot.metadata or {})},
        "created_at": snapshot.created_at,
        "interrupts": [one for task in tasks for one in task["interrupts"]],
    }


def _task_of(task: PregelTask) -> dict[str, Any]:
    state = task.state
    return {
        "id": task.id,
        "name": task.name,
        "path": [*task.path],
        "error": None if task.error is None else _words_of(task.error),
        "interrupts": [interrupt_shown(one, at) for at, one in enumerate(task.interrupts)],
        "checkpoint": subgraph_checkpoint(state) if isinstance(state, Mapping) else None,
        "state": thread_state(state) if isinstance(state, StateSnapshot) else None,
        "result": task.result,
    }


def interrupt_shown(interrupt: Any, at: int) -> dict[str, Any]:
    """A question without an id of its own is known by its place."""
    shown = {
        "id": interrupt_id(interrupt) or str(at),
        "value": getattr(interrupt, "value", interrupt),
    }
    schema = getattr(interrupt, "response_schema", None)
    return {**shown, "response_schema": schema} if isinstance(schema, Mapping) else shown


def _words_of(error: Any) -> str:
    """A checkpoint keeps only the words of an error, which may fail to say them."""
    try:
        return str(error) or type(error).__name__
    except Exception:
        return type(error).__name__


def checkpoint_of(config: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """None where a configuration names no checkpoint."""
    place = _place_of(config)
    return place if place is not None and place["checkpoint_id"] is not None else None


def subgraph_checkpoint(config: Mapping[str, Any]) -> dict[str, Any] | None:
    """Where the newest state of a task's subgraph is found."""
    return _place_of(config)


def _place_of(config: Mapping[str, Any] | None) -> dict[str, Any] | None:
    configurable = (config or {}).get("configurable") or {}
    thread_id = configurable.get("thread_id")
    if not isinstance(thread_id, str):
        return None
    checkpoint_id = configurable.get("checkpoint_id")
    return {
        "thread_id": thread_id,
        "checkpoint_id": checkpoint_id if isinstance(checkpoint_id, str) else None,
        "checkpoint_ns": configurable.get("checkpoint_ns") or "",
        "checkpoint_map": _texts_of(configurable.get("checkpoint_map")),
    }


def _texts_of(places: Any) -> dict[str, str] | None:
    """
    A place is named by texts; LangGraph copies here from the metadata of a checkpoint, which may hold
    anything.
    """
    if not isinstance(places, Mapping):
        return None
    return {name: place for name, place in places.items() if isinstance(name, str) and isinstance(place, str)}
