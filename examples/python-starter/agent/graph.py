import os

from langchain_core.messages import SystemMessage
from langgraph.graph import END, START, MessagesState, StateGraph

from agent.model import EchoModel

model = EchoModel()


class State(MessagesState):
    turns: int


async def answer(state: State) -> dict:
    turns = state.get("turns", 0) + 1
    greeting = os.environ.get("GREETING", "Hello")
    instruction = SystemMessage(f"Greet with {greeting}. This is turn {turns}.")
    return {"messages": [await model.ainvoke([instruction, *state["messages"]])], "turns": turns}


graph = StateGraph(State).add_node(answer).add_edge(START, "answer").add_edge("answer", END).compile()
