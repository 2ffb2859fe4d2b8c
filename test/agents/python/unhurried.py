"""Repeats what it was told, letter by letter, and takes its time."""

from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langgraph.graph import END, START, MessagesState, StateGraph


async def answer(state: MessagesState) -> dict:
    model = FakeListChatModel(responses=[f"heard: {state['messages'][-1].text}"], sleep=0.06)
    return {"messages": [await model.ainvoke(state["messages"])]}


graph = StateGraph(MessagesState).add_node(answer).add_edge(START, "answer").add_edge("answer", END).compile()
