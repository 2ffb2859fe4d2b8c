"""`wait NAME` waits at a gate, `open NAME` opens it, `ask` asks, `fail` fails; anything else is said again."""

import asyncio

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import interrupt


async def begin(state: MessagesState) -> dict:
    return {"messages": [AIMessage("Let me see.")]}


async def act(state: MessagesState, runtime: Runtime) -> dict:
    told = [one.text for one in state["messages"] if one.type == "human"]
    word, name, *_ = [*told[-1].split(" "), ""]
    if word == "wait":
        # Until somebody opens the gate of this name.
        while await runtime.store.aget(("gates",), name) is None:
            await asyncio.sleep(0.02)
    if word == "open":
        await runtime.store.aput(("gates",), name, {"open": True})
    if word == "fail":
        raise TypeError("no luck")
    if word == "ask":
        return {"messages": [AIMessage(f"Hello, {interrupt({'question': 'Who is there?'})}!")]}
    return {"messages": [AIMessage(f"{word} {name}".strip())]}


graph = (
    StateGraph(MessagesState)
    .add_node(begin)
    .add_node(act)
    .add_edge(START, "begin")
    .add_edge("begin", "act")
    .add_edge("act", END)
    .compile()
)
