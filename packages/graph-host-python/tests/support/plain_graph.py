"""A graph of one node, and a plain state."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from langgraph.graph import START, StateGraph


class Plain(TypedDict, total=False):
    value: Any
    log: Annotated[list[str], lambda old, new: old + new]


def one_node(node: Any, state: Any = Plain, **options: Any) -> Any:
    return StateGraph(state, **options).add_node("node", node).add_edge(START, "node").compile()
