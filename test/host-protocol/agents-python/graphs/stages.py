from langchain_core.messages import AIMessage
from langgraph.config import get_stream_writer
from langgraph.graph import START, MessagesState, StateGraph


def first(state: MessagesState):
    get_stream_writer()({"progress": 1})
    return {"messages": [AIMessage("one")]}


def second(state: MessagesState):
    return {"messages": [AIMessage("two")]}


# Two nodes: `first` writes `{"progress": 1}` to the custom stream and says `one`, `second` says `two`.
graph = (
    StateGraph(MessagesState)
    .add_node("first", first)
    .add_node("second", second)
    .add_edge(START, "first")
    .add_edge("first", "second")
    .compile()
)

# One node, `inner`, which is the graph above.
nested = StateGraph(MessagesState).add_node("inner", graph).add_edge(START, "inner").compile()
