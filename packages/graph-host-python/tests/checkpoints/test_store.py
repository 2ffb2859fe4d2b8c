"""LangGraph's store over the engine."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from langgraph.graph import START, StateGraph
from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchItem,
    SearchOp,
)
from typing_extensions import TypedDict

from roadstead_host.checkpoints.store import EngineStore
from support.engine_double import EngineDouble

NOTES = ("ann", "notes")


@pytest.mark.parametrize("is_async", [True, False])
def test_when_items_are_stored_then_they_are_found(double: EngineDouble, is_async: bool) -> None:
    store = EngineStore(double.peer)

    async def talk() -> tuple[Any, ...]:
        await store.aput(NOTES, "one", {"text": "a"})
        await store.aput(NOTES, "two", {"text": "b"})
        got = await store.aget(NOTES, "one")
        found = await store.asearch(("ann",), filter={"text": "b"}, limit=5)
        await store.adelete(NOTES, "one")
        return got, found, await store.alist_namespaces(prefix=("ann",)), await store.aget(NOTES, "one")

    def talk_now() -> tuple[Any, ...]:
        store.put(NOTES, "one", {"text": "a"})
        store.put(NOTES, "two", {"text": "b"})
        got = store.get(NOTES, "one")
        found = store.search(("ann",), filter={"text": "b"}, limit=5)
        store.delete(NOTES, "one")
        return got, found, store.list_namespaces(prefix=("ann",)), store.get(NOTES, "one")

    got, found, names, gone = asyncio.run(talk()) if is_async else talk_now()
    created, updated = (datetime(2026, 1, day, tzinfo=UTC) for day in (1, 2))
    assert got == Item(
        value={"text": "a"}, key="one", namespace=NOTES, created_at=created, updated_at=updated
    )
    assert [(type(one), one.key, one.score) for one in found] == [(SearchItem, "two", None)]
    assert (names, gone) == ([NOTES], None)
    assert set(double.heard) == {"ask store.batch"}


def test_when_a_batch_has_many_operations_then_it_is_one_question(double: EngineDouble) -> None:
    store = EngineStore(double.peer, {"run_id": "r", "attempt": 2})
    conditions = (MatchCondition("prefix", ("ann",)), MatchCondition("suffix", ("*", "notes")))
    store.batch(
        [
            GetOp(NOTES, "one", refresh_ttl=False),
            PutOp(NOTES, "one", {"text": "a"}, index=["text"], ttl=2.5),
            PutOp(NOTES, "two", None, index=False),
            SearchOp(("ann",), {"text": {"$ne": "b"}}, 3, 4, "words"),
            SearchOp(()),
            ListNamespacesOp(conditions, 2, 7, 1),
        ]
    )
    assert double.params == [
        {
            "operations": [
                {"op": "get", "namespace": [*NOTES], "key": "one", "refresh_ttl": False},
                {
                    "op": "put",
                    "namespace": [*NOTES],
                    "key": "one",
                    "value": {"text": "a"},
                    "index": ["text"],
                    "ttl": 2.5,
                },
                {
                    "op": "put",
                    "namespace": [*NOTES],
                    "key": "two",
                    "value": None,
                    "index": False,
                    "ttl": None,
                },
                {
                    "op": "search",
                    "namespace_prefix": ["ann"],
                    "filter": {"text": {"$ne": "b"}},
                    "limit": 3,
                    "offset": 4,
                    "query": "words",
                    "refresh_ttl": True,
                },
                {"op": "search", "namespace_prefix": [], "limit": 10, "offset": 0, "refresh_ttl": True},
                {
                    "op": "list_namespaces",
                    "match_conditions": [
                        {"match_type": "prefix", "path": ["ann"]},
                        {"match_type": "suffix", "path": ["*", "notes"]},
                    ],
                    "max_depth": 2,
                    "limit": 7,
                    "offset": 1,
                },
            ],
            "run_id": "r",
            "attempt": 2,
        }
    ]


def test_when_the_project_has_a_ttl_then_a_call_that_says_none_has_it(double: EngineDouble) -> None:
    store = EngineStore(double.peer, ttl={"default_ttl": 60, "refresh_on_read": False})
    store.put(NOTES, "one", {})
    store.put(NOTES, "one", {}, ttl=None)
    store.put(NOTES, "one", {}, ttl=5)
    store.get(NOTES, "one")
    store.get(NOTES, "one", refresh_ttl=True)
    sent = [one["operations"][0] for one in double.params]
    assert [one.get("ttl") for one in sent[:3]] == [60, None, 5]
    assert [one.get("refresh_ttl") for one in sent[3:]] == [False, True]


@pytest.mark.parametrize("value", [{"at": datetime(2026, 1, 1)}, {"n": float("nan")}, {"s": {1}}], ids=str)
def test_when_a_value_is_no_json_then_it_is_refused_by_its_place(double: EngineDouble, value: Any) -> None:
    store = EngineStore(double.peer)
    with pytest.raises(TypeError, match="ann / notes / one can’t be stored, because it is not JSON"):
        store.put(NOTES, "one", value)
    assert double.heard == []


def test_when_a_node_asks_the_store_from_the_loop_then_it_gets_its_answer(double: EngineDouble) -> None:
    class State(TypedDict, total=False):
        text: str

    async def note(state: State, *, store: BaseStore) -> State:
        store.put(NOTES, "last", {"text": state["text"]})
        found = await store.aget(NOTES, "last")
        return {"text": "nothing" if found is None else found.value["text"] + "!"}

    graph = StateGraph(State).add_node("note", note).add_edge(START, "note")
    compiled = graph.compile(store=EngineStore(double.peer))
    assert asyncio.run(compiled.ainvoke({"text": "hello"})) == {"text": "hello!"}
