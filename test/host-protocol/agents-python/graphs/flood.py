from typing import TypedDict

from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph

STEPS = 20


class State(TypedDict):
    step: int


def say(state: State):
    step = state.get("step", 0)
    print(f"step {step}")
    get_stream_writer()({"step": step, "text": "x" * 250_000})
    return {"step": step + 1}


# Writes `{"step": N, "text": 250,000 characters}` to the custom stream at each of twenty steps, and prints `step N`.
graph = (
    StateGraph(State)
    .add_node("say", say)
    .add_edge(START, "say")
    .add_conditional_edges("say", lambda state: "say" if state["step"] < STEPS else END)
    .compile()
)
