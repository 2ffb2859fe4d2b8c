"""LangGraph's store over a real engine, beside LangGraph's own in memory."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from langgraph.store.base import BaseStore
from langgraph.store.memory import InMemoryStore

from roadstead_host.channel.peer import Peer
from roadstead_host.checkpoints.store import EngineStore


async def told(store: BaseStore, root: str) -> list[Any]:
    """What a store answers; without the times, which differ."""
    for at in range(4):
        await store.aput((root, "notes"), f"k{at}", {"at": at, "even": at % 2 == 0, "deep": {"a": [at]}})
    await store.aput((root, "other", "place"), "k", {"at": 9}, index=False)
    await store.aput((root, "notes"), "k3", {"at": 33, "even": False})
    await store.adelete((root, "notes"), "k0")
    searches = [
        await store.asearch((root, "notes"), filter=wanted, limit=10)
        for wanted in (
            None,
            {"even": True},
            {"at": {"$gt": 1}},
            {"at": {"$ne": 2}},
            {"even": False, "at": 33},
        )
    ]
    return [
        one_of(await store.aget((root, "notes"), "k1")),
        await store.aget((root, "notes"), "k0"),
        await store.aget((root, "notes"), "nothing"),
        *(sorted(one_of(item) for item in found) for found in searches),
        len(await store.asearch((root,), limit=2, offset=3)),
        await store.alist_namespaces(prefix=(root,)),
        await store.alist_namespaces(prefix=(root,), suffix=("place",)),
        await store.alist_namespaces(prefix=(root, "*"), max_depth=2),
        await store.alist_namespaces(prefix=(root,), limit=1, offset=1),
    ]


def one_of(item: Any) -> Any:
    return (item.namespace, item.key, repr(sorted(item.value.items())))


def test_when_items_are_stored_then_they_are_found_as_in_memory(peer: Peer) -> None:
    root = str(uuid4())
    expected = asyncio.run(told(InMemoryStore(), root))
    assert asyncio.run(told(EngineStore(peer), root)) == expected
    assert expected[1:3] == [None, None]


def test_when_an_item_is_written_again_then_only_its_update_is_new(peer: Peer) -> None:
    store, place = EngineStore(peer), (str(uuid4()),)
    store.put(place, "k", {"a": 1})
    first = store.get(place, "k")
    store.put(place, "k", {"a": 2})
    second = store.get(place, "k")
    assert first is not None
    assert second is not None
    assert (second.created_at, second.value) == (first.created_at, {"a": 2})
    assert second.updated_at > first.updated_at
    assert second.updated_at.tzinfo is not None


def test_when_an_item_has_a_life_then_it_is_taken(peer: Peer) -> None:
    store, place = EngineStore(peer), (str(uuid4()),)
    store.put(place, "k", {"a": 1}, ttl=5)
    assert store.get(place, "k", refresh_ttl=False) is not None


@pytest.mark.parametrize("namespace", [(), ("",), ("a.b",), ("langgraph",)], ids=str)
def test_when_a_namespace_is_none_then_it_is_refused_as_in_memory(peer: Peer, namespace: Any) -> None:
    with pytest.raises(ValueError) as expected:
        InMemoryStore().put(namespace, "k", {})
    with pytest.raises(type(expected.value)):
        EngineStore(peer).put(namespace, "k", {})
