"""The port through which this folder uses a graph that the project loaded."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from ..project.factories import AccessContext


class LoadedGraph(Protocol):
    @property
    def graph_id(self) -> str: ...

    def open(self, config: Mapping[str, Any], access: AccessContext) -> AbstractAsyncContextManager[Any]:
        """The compiled graph for one run or question: factories are called each time, and closed after it."""
