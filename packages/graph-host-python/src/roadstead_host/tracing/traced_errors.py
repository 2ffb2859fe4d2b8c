"""How the user's own LangChain tracer writes down what a graph raises."""

from __future__ import annotations

from typing import Any

# The names by which ingestion knows what has not failed.
_NAMES = ("GraphInterrupt", "NodeInterrupt", "ParentCommand", "GraphDrained")


def name_bubble_ups() -> None:
    """
    What LangGraph raises to ask, to hand on or to stop is no failure. A project may raise a class of its own,
    which others know only by a name that they have heard of.
    """
    try:
        from langchain_core.tracers.core import _TracerCore as Tracer
        from langgraph.errors import GraphBubbleUp
    except ImportError:
        # An older one, which says it in another place.
        return
    original = getattr(Tracer, "_get_stacktrace", None)
    if original is None or getattr(original, "names_bubble_ups", False):
        return

    def stacktrace(error: BaseException) -> Any:
        text = original(error)
        is_known = not isinstance(error, GraphBubbleUp) or text.startswith(_NAMES)
        return text if is_known else f"{_NAMES[0]}({text})"

    stacktrace.names_bubble_ups = True  # type: ignore[attr-defined]
    Tracer._get_stacktrace = staticmethod(stacktrace)  # type: ignore[method-assign]
