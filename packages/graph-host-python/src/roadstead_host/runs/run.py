"""Runs one attempt to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..channel.json_text import Json
from ..channel.peer import Peer
from ..checkpoints.deltas import deltas_of, values_in
from ..checkpoints.saver import EngineSaver, SaverRun
from ..checkpoints.store import EngineStore
from ..graphs.graph_config import checkpoint_fields, with_checkpointer
from ..graphs.javascript_threads import newest_tuple
from ..graphs.resumption import command_of, interrupt_id, resumption
from ..graphs.thread_state import StateTools
from ..project.loaded_graph import LoadedGraph
from ..tracing.feedback_links import feedback_links
from ..tracing.second_project import traced_to_both
from ..tracing.trace_context import within_trace
from .emitter import Emitter
from .graph_stream import StreamOptions, stream_graph
from .run_config import config_of, interrupts_of, mark_of
from .run_events import RunEvents
from .speakers import Speakers
from .stream_events import StreamEvents
from .whole_context import whole_context

Params: TypeAlias = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class RunTools:
    state: StateTools
    emitter: Emitter

    @property
    def peer(self) -> Peer:
        return self.state.peer


async def run_graph(graph: LoadedGraph, params: Params, tools: RunTools) -> dict[str, Any]:
    """The outcome of the run, where it ends well; raises what the graph raises."""
    with within_trace(params.get("traceparent")), traced_to_both(params):
        return await _stream(graph, params, tools)


async def _stream(graph: LoadedGraph, params: Params, tools: RunTools) -> dict[str, Any]:
    emitter = tools.emitter
    is_plain = params.get("plain") is not False
    has_chunks = params["chunks"] and is_plain
    events = RunEvents(has_chunks=has_chunks, goes_on="goes_on" in params)
    stream = params.get("stream") or {"modes": (), "subgraphs": False}
    speakers = Speakers(emitter.add, subgraphs=stream["subgraphs"])
    asked = StreamEvents(stream["modes"], speakers)
    saver = await _open_saver(params, tools, events)
    config = config_of(params, [speakers] if "messages-tuple" in stream["modes"] else [])
    ref = {"run_id": params["run_id"], "attempt": params["attempt"]}
    store = EngineStore(tools.peer, ref, tools.state.store_ttl)
    given = params.get("context")
    async with graph.open(config, "threads.create_run", store=store, context=given) as made:
        compiled = with_checkpointer(made, saver, store)
        sources = {"updates", "values", *asked.sources, *(("messages",) if has_chunks else ())}
        options = StreamOptions(
            context=whole_context(
                getattr(made, "context_schema", None), given, params.get("configured") or ()
            ),
            modes=sorted(sources),
            durability=params["durability"],
            subgraphs=stream["subgraphs"],
            has_inner=asked.has_inner,
            interrupts=interrupts_of(params),
        )
        value = await _input_of(params, compiled, saver)
        # A graph that is left is closed: nothing of it writes after the end of its run.
        async with aclosing(stream_graph(compiled, value, config, options)) as parts:
            async for part in parts:
                # Only what the graph itself does is told in plain words.
                plain = events.of(part) if not part.ns else []
                room = emitter.add([*(plain if is_plain else ()), *asked.of(part)])
                if room is not None:
                    await asyncio.wrap_future(room)
        links = await feedback_links(params)
        if links is not None:
            emitter.add([{"kind": "stream", "event": "feedback", "ns": [], "data": links}])
        return await _outcome(compiled, params, events)


async def _outcome(compiled: Any, params: Params, events: RunEvents) -> dict[str, Any]:
    is_plain = params.get("plain") is not False
    outcome: dict[str, Any] = {
        "outcome": "success",
        "interrupts": [],
        "output": events.output(compiled.output_channels) if is_plain else None,
    }
    state: Any = None
    if events.has_stopped:
        left, state = await _left_open(compiled, params, events)
        outcome.update(left)
    if params.get("values") is True:
        outcome["values"] = state if events.last is None else events.last
    return outcome


async def _left_open(compiled: Any, params: Params, events: RunEvents) -> tuple[dict[str, Any], Any]:
    """
    The questions that a stopped run leaves open, with the tasks that ask them, the nodes that wait, and the
    state: a graph that stops before it has written anything streams none, and that of a new thread is empty.
    """
    snapshot = await compiled.aget_state({"configurable": checkpoint_fields(params["thread_id"])})
    task_of = {interrupt_id(one): task.id for task in snapshot.tasks for one in task.interrupts}
    interrupts = [
        {**one, "task_id": task_of[one["id"]]} if one["id"] in task_of else one for one in events.interrupts()
    ]
    state = snapshot.values if params["has_checkpoint"] else {}
    return {"interrupts": interrupts, "next": [*snapshot.next]}, state


async def _open_saver(params: Params, tools: RunTools, events: RunEvents) -> EngineSaver:
    run = SaverRun(
        run_id=params["run_id"],
        attempt=params["attempt"],
        thread_id=params["thread_id"],
        durability=params["durability"],
        has_checkpoint=params["has_checkpoint"],
        metadata=mark_of(params),
    )
    goes_on = params.get("goes_on")
    # A later attempt also loads what its run wrote: only checkpoints of before the run hold earlier messages.
    saver = EngineSaver(tools.peer, tools.state.serde, run, events.know if goes_on is None else None)
    if goes_on is not None and goes_on["after"] is not None:
        await _know_before(saver, _root_of(params, goes_on["after"]), events)
    named = None if goes_on is not None else (params.get("checkpoint") or {}).get("checkpoint_id")
    if named is not None:
        # LangGraph would begin with an empty state.
        place = {"configurable": checkpoint_fields(params["thread_id"], params["checkpoint"])}
        if await saver.aget_tuple(place) is None:  # type: ignore[arg-type]
            raise LookupError(f"The thread has no checkpoint “{named}”.")
    return saver


async def _know_before(saver: EngineSaver, config: Any, events: RunEvents) -> None:
    before = await saver.aget_tuple(config)
    if before is None:
        return
    events.know(before.checkpoint["channel_values"])
    channels = deltas_of(before.checkpoint, before.metadata)
    if channels:
        history = await saver.aget_delta_channel_history(config=config, channels=channels)
        events.know(values_in(dict(history)))


async def _input_of(params: Params, compiled: Any, saver: EngineSaver) -> Any:
    command = params.get("command")
    if "resume" in params:
        saved = await newest_tuple(compiled, saver, _root_of(params))
        return resumption(saved, params["resume"], saver.javascript)
    if command is None:
        return params.get("input")
    if "resume" not in command:
        return command_of(command)
    # An answer goes by the ids of what was asked where the run begins.
    place = {"configurable": checkpoint_fields(params["thread_id"], params.get("checkpoint"))}
    return command_of(command, await newest_tuple(compiled, saver, place), saver.javascript)


def _root_of(params: Params, checkpoint_id: str | None = None) -> Any:
    return {"configurable": checkpoint_fields(params["thread_id"], {"checkpoint_id": checkpoint_id})}
