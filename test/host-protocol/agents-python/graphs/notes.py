from langchain_core.messages import AIMessage
from langgraph.config import get_store
from langgraph.graph import START, MessagesState, StateGraph


def note(state: MessagesState):
    store = get_store()
    before = store.get(("notes",), "last")
    store.put(("notes",), "last", {"text": state["messages"][-1].content})
    return {"messages": [AIMessage("nothing" if before is None else before.value["text"])]}


# Stores `{"text": TEXT}` as `last` in the namespace `notes`, and answers what stood there before, or `nothing`.
graph = StateGraph(MessagesState).add_node("note", note).add_edge(START, "note").compile()
