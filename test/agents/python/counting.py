"""Says what it was told, and how often it was spoken to."""

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph


async def answer(state: MessagesState) -> dict:
    messages = state["messages"]
    turn = len([one for one in messages if one.type == "human"])
    return {"messages": [AIMessage(f"python {turn}: {messages[-1].text}")]}


graph = StateGraph(MessagesState).add_node(answer).add_edge(START, "answer").add_edge("answer", END).compile()
