from typing import Annotated, TypedDict

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.channels.delta import DeltaChannel
from langgraph.graph import START, StateGraph
from langgraph.graph.message import _messages_delta_reducer


class State(TypedDict):
    messages: Annotated[list[AnyMessage], DeltaChannel(_messages_delta_reducer, snapshot_frequency=50)]


def count(state: State):
    return {"messages": [AIMessage(str(len(state["messages"])))]}


# Stores its messages as differences, and answers how many there are.
graph = StateGraph(State).add_node("count", count).add_edge(START, "count").compile()
