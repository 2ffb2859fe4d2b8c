"""Keeps notes in the store, from an async node and a sync one, and finds them."""

from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    owner: str
    note: str
    found: list[dict]
    namespaces: list[list[str]]


async def keep(state: State, *, store: BaseStore) -> dict:
    await store.aput(
        ("notes", state["owner"]), state["note"], {"text": state["note"], "size": len(state["note"])}
    )
    return {}


def find(state: State, *, store: BaseStore) -> dict:
    items = store.search(("notes", state["owner"]), filter={"size": {"$gt": 2}}, limit=5)
    spaces = store.list_namespaces(prefix=("notes", state["owner"]))
    found = [{"key": item.key, "value": item.value} for item in items]
    return {
        "found": sorted(found, key=lambda item: item["key"]),
        "namespaces": [list(space) for space in spaces],
    }


graph = (
    StateGraph(State)
    .add_node("keep", keep)
    .add_node("find", find)
    .add_edge(START, "keep")
    .add_edge("keep", "find")
    .add_edge("find", END)
    .compile()
)
