"""Asks two questions at once, and notes something beside them."""

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt


async def left(state: MessagesState) -> dict:
    return {"messages": [AIMessage(f"left: {interrupt('Left?')}")]}


async def right(state: MessagesState) -> dict:
    return {"messages": [AIMessage(f"right: {interrupt('Right?')}")]}


async def note(state: MessagesState) -> dict:
    return {"messages": [AIMessage("noted in Python")]}


builder = StateGraph(MessagesState)
for node in (left, right, note):
    builder.add_node(node).add_edge(START, node.__name__).add_edge(node.__name__, END)
graph = builder.compile()
