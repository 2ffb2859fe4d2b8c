"""Graphs as the project loads them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from roadstead_host.checkpoints.serde import create_serde
from roadstead_host.graphs.answers import create_graph_answers
from roadstead_host.graphs.thread_state import StateTools
from roadstead_host.project.factories import AccessContext
from support.engine_double import EngineDouble


@dataclass
class SampleGraph:
    compiled: Any
    graph_id: str = "sample"
    # What for it was opened, and how often that ended.
    opened: list[AccessContext] = field(default_factory=list)
    configs: list[Mapping[str, Any]] = field(default_factory=list)
    closed: int = 0

    @asynccontextmanager
    async def open(self, config: Mapping[str, Any], access: AccessContext) -> AsyncIterator[Any]:
        self.opened.append(access)
        self.configs.append(config)
        try:
            yield self.compiled
        finally:
            self.closed += 1


def asker(double: EngineDouble, graph: SampleGraph) -> Callable[..., Awaitable[Any]]:
    """Asks as the engine does, and reads the answer as it does."""

    async def find_graph(graph_id: str) -> SampleGraph:
        if graph_id != graph.graph_id:
            raise LookupError(graph_id)
        return graph

    answers = create_graph_answers(find_graph, StateTools(double.peer, create_serde(), None))

    async def ask(method: str, **params: Any) -> Any:
        answer = await answers[method]({"graph_id": graph.graph_id, **params})
        return json.loads(answer.text)

    return ask
