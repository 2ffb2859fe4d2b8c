"""Makes the `configurable` that runs, and questions about state, give a graph."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, TypeVar

from ..channel.json_text import Json
from ..values.auth_user import AuthUser

Graph = TypeVar("Graph")


def user_fields(user: Mapping[str, Json] | None) -> dict[str, Any]:
    """The names under which LangGraph's own server hands a user down."""
    if user is None:
        return {}
    known = AuthUser(user)
    return {
        "langgraph_auth_user": known,
        "langgraph_auth_user_id": known.identity,
        "langgraph_auth_permissions": known.permissions,
    }


def checkpoint_fields(thread_id: str, checkpoint: Mapping[str, Json] | None = None) -> dict[str, Any]:
    """A checkpoint as LangGraph's configuration names it; without one the newest of the thread."""
    place = checkpoint or {}
    # An empty one would go down into the metadata of nodes, which have one of their own.
    names = ("checkpoint_id", "checkpoint_ns", "checkpoint_map")
    return {"thread_id": thread_id, **{name: place[name] for name in names if place.get(name)}}


def with_checkpointer(compiled: Graph, checkpointer: Any, store: Any) -> Graph:
    """A view of a compiled graph with our checkpointer and store; the user's own stays as it is."""
    view = copy.copy(compiled)
    view.checkpointer = checkpointer  # type: ignore[attr-defined]
    view.store = store  # type: ignore[attr-defined]
    return view
