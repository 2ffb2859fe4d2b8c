from langgraph.graph import START, MessagesState, StateGraph


async def answer(state, config):
    """Answers the tone that the run is configured with."""
    return {"messages": [("ai", config["configurable"].get("tone", "plain"))]}


graph = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer").compile()
