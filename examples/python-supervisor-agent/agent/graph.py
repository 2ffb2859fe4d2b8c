import re
from typing import Literal

from langchain_core.messages import AIMessage, SystemMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command

from agent.facts import find_facts
from agent.rule_model import RuleModel
from agent.rules import write_note

NOTHING = "My researcher knows France, Japan, Kenya, Norway, Peru and Portugal; ask about those."

model = RuleModel(answer=write_note)


class State(MessagesState):
    """Beside the conversation, what the workers made for the present message."""

    facts: list[str] | None
    text: str | None


def asked(state: State) -> str:
    return state["messages"][-1].text


def begin(_: State) -> dict:
    return {"facts": None, "text": None}


def supervisor(state: State) -> Command[Literal["researcher", "writer", "reply"]]:
    wants_text = re.search(r"\b(write|note|letter|text)\b", asked(state), re.IGNORECASE) is not None
    if state["facts"] is None:
        return Command(goto="researcher")
    if state["facts"] and state["text"] is None and wants_text:
        return Command(goto="writer")
    return Command(goto="reply")


def researcher(state: State) -> Command[Literal["supervisor"]]:
    return Command(goto="supervisor", update={"facts": find_facts(asked(state))})


async def writer(state: State) -> Command[Literal["supervisor"]]:
    facts = SystemMessage("\n".join(["Write a note from these facts:", *state["facts"]]))
    written = await model.ainvoke([facts, state["messages"][-1]])
    return Command(goto="supervisor", update={"text": written.text})


def reply(state: State) -> dict:
    """The answer of them all: one message in the conversation."""
    return {"messages": [AIMessage(state["text"] or "; ".join(state["facts"]) or NOTHING)]}


graph = (
    StateGraph(State)
    .add_node(begin)
    .add_node(supervisor)
    .add_node(researcher)
    .add_node(writer)
    .add_node(reply)
    .add_edge(START, "begin")
    .add_edge("begin", "supervisor")
    .add_edge("reply", END)
    .compile()
)
