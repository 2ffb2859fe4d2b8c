"""All of the host that needs the project's packages. It is imported once the engine asks for the project."""

from __future__ import annotations

import gc
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .channel.peer import Peer
from .checkpoints.serde import create_serde
from .checkpoints.store import EngineStore
from .graphs.answers import create_graph_answers
from .graphs.thread_state import StateTools
from .project.exports import ProjectFolder
from .project.load import load_graphs
from .project.own_parts import OwnParts, load_own_parts
from .project.user_modules import extend_path
from .runs.busy_selector import BusySelector
from .runs.load_reports import LoadReports
from .runs.run_threads import RunThreads
from .runs.running import Running
from .tracing.trace_uploads import provide_trace_uploads, uploads
from .tracing.traced_errors import name_bubble_ups


@dataclass(frozen=True, slots=True)
class LoadedHost:
    running: Running
    manifest: Mapping[str, Any]
    answers: Mapping[str, Callable[[Mapping[str, Any]], Awaitable[Any]]]
    own: OwnParts

    def cancel(self, params: Mapping[str, Any]) -> bool:
        return self.running.cancel(params["run_id"], params["attempt"], params["reason"], params.get("why"))

    async def stop(self) -> None:
        """Ends what the project opened."""
        await self.own.stop()


async def open_loaded_host(
    peer: Peer, selector: BusySelector, threads: RunThreads, named: Mapping[str, Any], root: Path
) -> LoadedHost:
    provide_trace_uploads()
    folder = ProjectFolder(root, (root / named.get("config_path", "langgraph.json")).parent)
    extend_path([folder.beside, root, *(root / path for path in named.get("local_dependencies") or ())])
    name_bubble_ups()
    checkpointer = named.get("checkpointer") or {}
    ttl = (named.get("store") or {}).get("ttl")
    state = StateTools(peer, create_serde(checkpointer.get("serde")), ttl)
    graphs = await load_graphs(named, folder, EngineStore(peer, ttl=ttl))
    own = await load_own_parts(named, folder)
    running = Running(graphs, state)
    reports = LoadReports(selector, threads, lambda: len(running), lambda load: peer.tell("load", load))
    running.on_begin = reports.watch
    if uploads.are_ours:
        running.turn = uploads.turn

    async def find_graph(graph_id: str) -> Any:
        return graphs.find(graph_id)

    answers = {**create_graph_answers(find_graph, state), **own.answers}
    # Loaded modules stay: collections need not look through them again and again.
    gc.freeze()
    return LoadedHost(running, {**graphs.manifest, **own.manifest}, answers, own)
