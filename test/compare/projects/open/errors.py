"""Fails in every way that it is asked to."""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, RetryPolicy
from pydantic import BaseModel
from typing_extensions import TypedDict

attempts: dict[str, int] = {}


class Order(BaseModel):
    size: int


class State(TypedDict, total=False):
    way: str
    key: str
    result: str


def work(state: State) -> Command[Literal["work", "__end__"]]:
    way = state.get("way")
    if way == "raise":
        raise ValueError("The order is wrong.")
    if way == "key":
        return Command(update={"result": state["missing"]}, goto=END)
    if way == "validation":
        Order(size="many")
    if way == "loop":
        return Command(goto="work")
    if way == "none":
        return Command(update={"unknown": 1}, goto=END)
    return Command(update={"result": "done"}, goto=END)


def flaky(state: State) -> dict:
    key = state.get("key", "")
    attempts[key] = attempts.get(key, 0) + 1
    if key and attempts[key] < 3:
        raise ConnectionError("Try again.")
    return {}


graph = (
    StateGraph(State)
    .add_node("flaky", flaky, retry_policy=RetryPolicy(initial_interval=0.01, max_attempts=3, jitter=False))
    .add_node("work", work)
    .add_edge(START, "flaky")
    .add_edge("flaky", "work")
    .compile()
)
