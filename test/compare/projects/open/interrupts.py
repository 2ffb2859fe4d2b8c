"""Asks for approval, of one or of two at the same time, and goes where the answer says."""

import operator
from typing import Annotated, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    request: str
    steps: Annotated[list[str], operator.add]


def prepare(state: State) -> dict:
    return {"steps": ["prepared"]}


def approve(state: State) -> Command[Literal["act", "stop"]]:
    answer = interrupt({"request": state.get("request"), "options": ["yes", "no"]})
    return Command(update={"steps": [f"answered {answer}"]}, goto="act" if answer == "yes" else "stop")


def check(state: State) -> dict:
    return {"steps": [f"checked {interrupt('Is it checked?')}"]}


def ask(state: State) -> list[str]:
    return ["approve", "check"] if state.get("request") == "both" else ["approve"]


def act(state: State) -> dict:
    return {"steps": ["acted"]}


def stop(state: State) -> dict:
    return {"steps": ["stopped"]}


graph = (
    StateGraph(State)
    .add_node("prepare", prepare)
    .add_node("approve", approve)
    .add_node("check", check)
    .add_node("act", act)
    .add_node("stop", stop)
    .add_edge(START, "prepare")
    .add_conditional_edges("prepare", ask, ["approve", "check"])
    .add_edge("check", END)
    .add_edge("act", END)
    .add_edge("stop", END)
    .compile()
)
