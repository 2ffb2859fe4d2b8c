"""A graph of `langgraph.json`, loaded."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableBinding
from langgraph.pregel import Pregel

from ..channel.errors import LoadError
from .factories import AccessContext, Factory, GraphAccess, factory_of
from .load_error import load_errors


@dataclass(frozen=True, slots=True)
class LoadedGraph:
    graph_id: str
    # For errors: which graph, and where it comes from.
    who: str
    root: Path
    # Its entry in `langgraph.json`.
    description: str | None
    a2a: Mapping[str, Any] | None
    # The store that factories are given outside of runs.
    store: Any
    source: Pregel[Any, Any, Any, Any] | Factory

    @asynccontextmanager
    async def open(
        self,
        config: Mapping[str, Any],
        access: AccessContext,
        *,
        store: Any = None,
        context: Any = None,
    ) -> AsyncIterator[Pregel[Any, Any, Any, Any]]:
        """The compiled graph for one run or question: factories are called each time, and closed after it."""
        if not isinstance(self.source, Factory):
            yield self.source
            return
        user = (config.get("configurable") or {}).get("langgraph_auth_user")
        given = GraphAccess(access, self.store if store is None else store, user, context)
        async with AsyncExitStack() as stack:
            made = await self.source.open(config, given, stack)
            compiled = compiled_of(made, self.who, self.root)
            if compiled is None:
                raise LoadError(f"{self.who} is a function that returned no graph.")
            yield compiled


def compiled_of(value: Any, who: str, root: Path) -> Pregel[Any, Any, Any, Any] | None:
    """
    A compiled graph, also with a configuration of its own, or what is made of a builder. None for what is no
    graph.
    """
    if isinstance(value, Pregel):
        return value
    if isinstance(value, RunnableBinding):
        bound = compiled_of(value.bound, who, root)
        return None if bound is None else bound.with_config(value.config)
    if inspect.isclass(value) or not callable(getattr(value, "compile", None)):
        return None
    with load_errors(f"{who} does not compile", root):
        compiled = value.compile()
    return compiled if isinstance(compiled, Pregel) else None


def source_of(exported: Any, who: str, root: Path) -> Pregel[Any, Any, Any, Any] | Factory:
    """Raises a `LoadError` for what is neither a graph nor makes one."""
    compiled = compiled_of(exported, who, root)
    if compiled is not None:
        return compiled
    if not callable(exported):
        raise LoadError(
            f"{who} is not a graph but {type(exported).__name__}: neither compiled, nor a builder, "
            "nor a function that makes one."
        )
    return factory_of(exported, who)
