"""What this folder asks of a graph that the project loaded."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Literal, Protocol, TypeAlias

# What for a graph is made: a factory may leave out what only a run needs.
AccessContext: TypeAlias = Literal["threads.create_run", "threads.read", "threads.update", "assistants.read"]


class LoadedGraph(Protocol):
    @property
    def graph_id(self) -> str: ...

    def open(self, config: Mapping[str, Any], access: AccessContext) -> AbstractAsyncContextManager[Any]:
        """The compiled graph for one run or question: factories are called each time, and closed after it."""
