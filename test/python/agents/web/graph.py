from langgraph.graph import START, MessagesState, StateGraph


async def answer(state):
    return {"messages": [("ai", "hello")]}


graph = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer").compile()
