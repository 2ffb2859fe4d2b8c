"""Runs a graph, and gives what it streams."""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import cache
from typing import Any

from langgraph.pregel import Pregel

from .stream_events import StreamPart


@dataclass(frozen=True, slots=True)
class StreamOptions:
    context: Any
    modes: Sequence[str]
    durability: str
    # Whether what subgraphs stream comes, too.
    subgraphs: bool
    # Whether what happens inside of nodes comes, too, as parts of the mode `events`.
    has_inner: bool
    interrupts: Mapping[str, Any]


async def stream_graph(
    compiled: Any, value: Any, config: dict[str, Any], options: StreamOptions
) -> AsyncGenerator[StreamPart, None]:
    settings: dict[str, Any] = {
        "stream_mode": [*options.modes],
        "subgraphs": options.subgraphs,
        **options.interrupts,
        **_durability(options.durability),
    }
    if "context" in _known_settings():
        settings["context"] = options.context
    elif isinstance(options.context, Mapping):
        # Before LangGraph 0.6 a context is part of the configuration.
        config = {**config, "configurable": {**options.context, **config["configurable"]}}
    if options.has_inner:
        run_id = str(config.get("run_id"))
        async with aclosing(compiled.astream_events(value, config, version="v2", **settings)) as events:
            async for event in events:
                if "langsmith:hidden" not in (event.get("tags") or ()):
                    yield _inner_part(event, run_id, subgraphs=options.subgraphs)
    else:
        async with aclosing(compiled.astream(value, config, **settings)) as parts:
            async for part in parts:
                yield _part_of(part, subgraphs=options.subgraphs)


@cache
def _known_settings() -> frozenset[str]:
    return frozenset(inspect.signature(Pregel.astream).parameters)


def _durability(durability: str) -> dict[str, Any]:
    known = _known_settings()
    if "durability" in known:
        return {"durability": durability}
    # Before LangGraph 0.6; before 0.4 each step is written, whatever is asked for.
    return {"checkpoint_during": durability != "exit"} if "checkpoint_during" in known else {}


def _inner_part(event: Mapping[str, Any], run_id: str, *, subgraphs: bool) -> StreamPart:
    """Parts that the run itself streams are like others; the rest is of the mode `events`."""
    if event["event"] == "on_chain_stream" and event.get("run_id") == run_id:
        return _part_of(event["data"]["chunk"], subgraphs=subgraphs)
    return StreamPart((), "events", event)


def _part_of(part: Any, *, subgraphs: bool) -> StreamPart:
    if not subgraphs:
        mode, payload = part
        return StreamPart((), mode, payload)
    ns, mode, payload = part
    return StreamPart(ns or (), mode, payload)
