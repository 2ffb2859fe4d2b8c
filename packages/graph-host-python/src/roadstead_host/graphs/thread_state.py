"""The state of threads, as their graph sees it: read, written and listed by the user's own LangGraph."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from langchain_core.runnables import RunnableConfig
from langgraph.errors import InvalidUpdateError
from langgraph.store.base import TTLConfig

from ..channel.errors import ChannelClosedError, HostCallError
from ..channel.json_text import Json
from ..channel.peer import Peer
from ..checkpoints.store import EngineStore
from ..checkpoints.typed_blobs import Serde
from ..project.factories import AccessContext
from .graph_config import checkpoint_fields, user_fields, with_checkpointer
from .javascript_threads import learn_tasks
from .loaded_graph import LoadedGraph
from .resumption import command_of
from .state_rules import checkpoint_of, thread_state
from .state_saver import StateSaver

Params: TypeAlias = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class StateTools:
    """The tools with which states are read and written."""

    peer: Peer
    serde: Serde
    store_ttl: TTLConfig | None


@dataclass(frozen=True, slots=True)
class _OpenedGraph:
    compiled: Any
    config: RunnableConfig
    checkpointer: StateSaver


async def read_state(graph: LoadedGraph, tools: StateTools, params: Params) -> dict[str, Any]:
    async with _open(graph, tools, params, "threads.read") as opened:
        subgraphs = params.get("subgraphs") is True
        snapshot = await opened.compiled.aget_state(opened.config, subgraphs=subgraphs)
        tasks = opened.checkpointer.javascript
        if tasks.have_asked:
            learn_tasks(opened.compiled, snapshot, tasks)
            snapshot = await opened.compiled.aget_state(opened.config, subgraphs=subgraphs)
        return thread_state(snapshot)


async def list_states(graph: LoadedGraph, tools: StateTools, params: Params) -> list[dict[str, Any]]:
    before = params.get("before")
    options: dict[str, Any] = {"limit": params["limit"]}
    if before is not None:
        options["before"] = {"configurable": checkpoint_fields(params["thread_id"], before)}
    if params.get("filter") is not None:
        options["filter"] = params["filter"]
    async with _open(graph, tools, params, "threads.read") as opened:
        snapshots = opened.compiled.aget_state_history(opened.config, **options)
        return [thread_state(snapshot) async for snapshot in snapshots]


async def update_state(graph: LoadedGraph, tools: StateTools, params: Params) -> dict[str, Json]:
    """Writes values as if nodes had returned them, a checkpoint for each step; answers the last one."""
    async with _open(graph, tools, params, "threads.update") as opened:
        named = (params.get("checkpoint") or {}).get("checkpoint_id")
        if named is not None and await opened.checkpointer.aget_tuple(opened.config) is None:
            raise InvalidUpdateError(f'The thread has no checkpoint "{named}".')
        try:
            steps = [[_update_of(one) for one in step["updates"]] for step in params["supersteps"]]
            written = await _write(opened, steps)
        except (HostCallError, ChannelClosedError, InvalidUpdateError):
            # The engine's own trouble is no mistake of who asked.
            raise
        except Exception as error:
            raise InvalidUpdateError(str(error) or type(error).__name__) from error
        return {"checkpoint": checkpoint_of(written) or {"checkpoint_id": None}}


# Values, or a command, and the node that is said to have written them.
_Update: TypeAlias = tuple[Any, str | None]


def _update_of(update: Mapping[str, Json]) -> _Update:
    command = update.get("command")
    values: Any = update.get("values") if command is None else command_of(command)
    return values, update.get("as_node")


async def _write(opened: _OpenedGraph, steps: Sequence[Sequence[_Update]]) -> RunnableConfig:
    """Before LangGraph 0.4 a step takes the values of one node."""
    compiled, config = opened.compiled, opened.config
    try:
        from langgraph.types import StateUpdate
    except ImportError:
        if any(len(step) != 1 for step in steps):
            raise InvalidUpdateError(
                "The project’s LangGraph takes one update in a step: 0.4 and newer take several."
            ) from None
        for step in steps:
            [(values, as_node)] = step
            config = await compiled.aupdate_state(config, values, as_node)
        return config
    written: RunnableConfig = await compiled.abulk_update_state(
        config, [[StateUpdate(*one) for one in step] for step in steps]
    )
    return written


@asynccontextmanager
async def _open(
    graph: LoadedGraph, tools: StateTools, params: Params, access: AccessContext
) -> AsyncIterator[_OpenedGraph]:
    config: RunnableConfig = {
        "configurable": {
            **(params.get("configurable") or {}),
            **user_fields(params.get("user")),
            "graph_id": graph.graph_id,
            **checkpoint_fields(params["thread_id"], params.get("checkpoint")),
        }
    }
    checkpointer = StateSaver(tools.peer, tools.serde)
    store = EngineStore(tools.peer, ttl=tools.store_ttl)
    async with graph.open(config, access) as compiled:
        yield _OpenedGraph(with_checkpointer(compiled, checkpointer, store), config, checkpointer)
