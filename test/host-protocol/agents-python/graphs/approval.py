from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt


class State(MessagesState):
    name: str


def ask(state: State):
    name = interrupt("Who?")
    sure = interrupt({"question": "Sure?", "name": name})
    return {"name": name, "messages": [AIMessage(f"{name} is {sure}")]}


# Asks `Who?`, then an object, in one node; answers `NAME is ANSWER`.
graph = StateGraph(State).add_node("ask", ask).add_edge(START, "ask").compile()
