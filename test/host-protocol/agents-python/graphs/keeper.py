from typing import Any, TypedDict

from langgraph.config import get_stream_writer
from langgraph.graph import START, StateGraph


class State(TypedDict, total=False):
    kept_length: int
    streamed_length: int
    kept: Any


def named(length: int):
    return {"k" * length: 1}


def keep(state: State):
    get_stream_writer()(named(state.get("streamed_length", 1)))
    return {"kept": named(state.get("kept_length", 1))}


# Keeps a key that is as long as it is told, and streams one.
graph = StateGraph(State).add_node("keep", keep).add_edge(START, "keep").compile()
