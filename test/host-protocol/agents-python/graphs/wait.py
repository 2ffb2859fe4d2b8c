import asyncio

from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph


def begin(state: MessagesState):
    return {"messages": [AIMessage("began")]}


async def wait(state: MessagesState):
    await asyncio.Event().wait()


# Says `began`, then waits until its run is cancelled.
graph = (
    StateGraph(MessagesState)
    .add_node("begin", begin)
    .add_node("wait", wait)
    .add_edge(START, "begin")
    .add_edge("begin", "wait")
    .compile()
)
