"""A graph with a subgraph that asks, beside one that fans out."""

import operator
from typing import Annotated

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send, interrupt
from typing_extensions import TypedDict


class Topics(TypedDict):
    topics: list[str]
    asks: bool
    notes: Annotated[list[str], operator.add]


class Topic(TypedDict):
    topic: str


class Check(TypedDict):
    asks: bool
    notes: Annotated[list[str], operator.add]


def look(state: Check) -> dict:
    return {"notes": ["looked"]}


def confirm(state: Check) -> dict:
    if not state.get("asks"):
        return {"notes": ["unasked"]}
    return {"notes": [f"confirmed {interrupt({'question': 'Is it right?'})}"]}


check = (
    StateGraph(Check)
    .add_node("look", look)
    .add_node("confirm", confirm)
    .add_edge(START, "look")
    .add_edge("look", "confirm")
    .add_edge("confirm", END)
    .compile()
)


def plan(state: Topics) -> dict:
    return {"notes": ["planned"]}


def spread(state: Topics) -> list[Send]:
    return [Send("research", {"topic": topic}) for topic in state["topics"]]


def research(state: Topic) -> dict:
    return {"notes": [f"researched {state['topic']}"]}


graph = (
    StateGraph(Topics)
    .add_node("plan", plan)
    .add_node("research", research)
    .add_node("check", check)
    .add_edge(START, "plan")
    .add_conditional_edges("plan", spread, ["research"])
    .add_edge("research", "check")
    .add_edge("check", END)
    .compile()
)
