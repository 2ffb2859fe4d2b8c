"""The configuration of a run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from ..channel.json_text import Json
from ..graphs.graph_config import checkpoint_fields, user_fields
from ..project.describe import langgraph_version

# Where the deployment's API is, if it is known.
_API_URL = os.environ.get("LANGGRAPH_API_URL")


def config_of(params: Mapping[str, Json], callbacks: Sequence[Any]) -> dict[str, Any]:
    """An option that isn't given must be absent: LangGraph would take it for the graph's own."""
    names = {name: params[name] for name in ("assistant_id", "graph_id", "run_id")}
    checkpoint = None if "goes_on" in params else params.get("checkpoint")
    config: dict[str, Any] = {
        "configurable": {
            **params["configurable"],
            **user_fields(params.get("user")),
            **checkpoint_fields(params["thread_id"], checkpoint),
            **names,
        },
        "metadata": {
            # Tracers call the tracing thread `thread_id`, too. It is in the engine's metadata, and takes this
            # one's place.
            "thread_id": params["thread_id"],
            **params["metadata"],
            # An attempt finds by the run what its run has written.
            **names,
            **_given(langgraph_version=langgraph_version(), langgraph_api_url=_API_URL),
        },
        "tags": [*params["tags"]],
        "run_name": params["graph_id"],
        "callbacks": [*callbacks],
        **_given(recursion_limit=params.get("recursion_limit")),
    }
    run_id = _uuid_of(params["run_id"])
    return config if run_id is None else {**config, "run_id": run_id}


def mark_of(params: Mapping[str, Json]) -> dict[str, Json]:
    """The metadata of a checkpoint about the run that wrote it; clients look for checkpoints by it."""
    metadata = {
        name: value
        for name, value in params["metadata"].items()
        if name not in ("revision_id", "run_attempt")
    }
    return {**metadata, "graph_id": params["graph_id"], "assistant_id": params["assistant_id"]}


def interrupts_of(params: Mapping[str, Json]) -> dict[str, Json]:
    return {name: params[name] for name in ("interrupt_before", "interrupt_after") if name in params}


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _uuid_of(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
