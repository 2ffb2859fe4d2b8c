import logging

from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph


def node(state: MessagesState):
    logging.getLogger(__name__).warning("careful")
    print("printed")
    return {"messages": [AIMessage("logged")]}


# Logs `careful` as a warning, prints `printed`, and says `logged`.
graph = StateGraph(MessagesState).add_node("node", node).add_edge(START, "node").compile()
