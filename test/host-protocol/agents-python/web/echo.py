from langgraph.graph import START, MessagesState, StateGraph


def answer(state, config):
    """Answers the identity of the caller."""
    return {"messages": [("ai", config["configurable"]["langgraph_auth_user"].identity)]}


graph = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer").compile()
