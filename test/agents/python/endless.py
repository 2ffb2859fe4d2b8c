"""Never comes back, and keeps its process from noticing anything."""

from langgraph.graph import END, START, MessagesState, StateGraph


async def think(state: MessagesState) -> dict:
    while True:
        pass


graph = StateGraph(MessagesState).add_node(think).add_edge(START, "think").add_edge("think", END).compile()
