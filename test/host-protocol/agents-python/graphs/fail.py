from langgraph.graph import START, MessagesState, StateGraph


class Rejection(Exception):
    a2a = "reject"


def fail(state: MessagesState):
    if state["messages"][-1].content == "refuse":
        raise Rejection("Only invoices are handled here.")
    raise ValueError("This went wrong.\nwith a second line")


# Fails with a `ValueError`, or refuses its input where it is told to.
graph = StateGraph(MessagesState).add_node("fail", fail).add_edge(START, "fail").compile()
