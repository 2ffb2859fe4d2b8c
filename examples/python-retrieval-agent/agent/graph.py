import re
from hashlib import sha256
from typing import Literal

from langchain_core.messages import AIMessage, SystemMessage
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.store.base import BaseStore

from agent.rule_model import RuleModel
from agent.rules import answer_from_notes

NOTES = ("notes",)
FITTING = 3
# Texts without a common word are less alike than this.
ALIKE = 0.2

model = RuleModel(answer=answer_from_notes)


class State(MessagesState):
    found: list[str]


def note_in(state: State) -> str | None:
    told = re.match(r"remember\b[:,]?\s*(?:that\s+)?(.+)", state["messages"][-1].text.strip(), re.I | re.S)
    return told and told[1]


async def remember(state: State, *, store: BaseStore) -> dict:
    """The same note twice is one."""
    note = note_in(state) or ""
    await store.aput(NOTES, sha256(note.encode()).hexdigest()[:16], {"text": note})
    return {"messages": [AIMessage(f"Noted: {note}")]}


async def retrieve(state: State, *, store: BaseStore) -> dict:
    items = await store.asearch(NOTES, query=state["messages"][-1].text, limit=FITTING)
    return {"found": [item.value["text"] for item in items if (item.score or 0) > ALIKE]}


async def answer(state: State) -> dict:
    notes = SystemMessage("\n".join(["Answer from these notes:", *state["found"]]))
    return {"messages": [await model.ainvoke([notes, *state["messages"]])]}


def begin(state: State) -> Literal["remember", "retrieve"]:
    return "retrieve" if note_in(state) is None else "remember"


graph = (
    StateGraph(State)
    .add_node(remember)
    .add_node(retrieve)
    .add_node(answer)
    .add_conditional_edges(START, begin)
    .add_edge("retrieve", "answer")
    .add_edge("remember", END)
    .add_edge("answer", END)
    .compile()
)
