"""Says what it was told, and by whom."""

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, MessagesState, StateGraph


async def answer(state: MessagesState, config: RunnableConfig) -> dict:
    user = config["configurable"]["langgraph_auth_user"]
    return {"messages": [AIMessage(f"{user.identity}: {state['messages'][-1].text}")]}


graph = StateGraph(MessagesState).add_node(answer).add_edge(START, "answer").add_edge("answer", END).compile()
