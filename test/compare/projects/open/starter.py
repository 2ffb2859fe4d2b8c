"""The starter: one node that answers what it is told, in a tone of the context."""

from dataclasses import dataclass

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.runtime import Runtime


@dataclass
class Context:
    tone: str = "plain"


async def answer(state: MessagesState, runtime: Runtime[Context]) -> dict:
    text = state["messages"][-1].content
    if runtime.context is not None and runtime.context.tone == "loud":
        text = str(text).upper()
    return {"messages": [AIMessage(f"You said: {text}")]}


graph = (
    StateGraph(MessagesState, context_schema=Context)
    .add_node("answer", answer)
    .add_edge(START, "answer")
    .add_edge("answer", END)
    .compile()
)
