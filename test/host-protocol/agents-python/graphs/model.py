from langchain_core.language_models import FakeListChatModel
from langgraph.graph import START, MessagesState, StateGraph

model = FakeListChatModel(responses=["hello"], sleep=0.001)


async def say(state: MessagesState):
    return {"messages": [await model.ainvoke(state["messages"])]}


# One node, `say`: a model answers `hello`, letter by letter.
graph = StateGraph(MessagesState).add_node("say", say).add_edge(START, "say").compile()
