"""LangGraph's store over the engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
)

from ..channel.json_text import Json, json_bytes
from ..channel.peer import Peer


class EngineStore(BaseStore):
    """
    All operations of a batch are one question. Every method can be called from any thread, also from that of
    the event loop: another one reads answers.
    """

    supports_ttl = True

    def __init__(
        self, peer: Peer, ref: Mapping[str, Json] | None = None, ttl: TTLConfig | None = None
    ) -> None:
        # `store.ttl` of langgraph.json, from which LangGraph fills in what a call leaves out.
        self.ttl_config = ttl
        self._peer = peer
        self._ref = ref or {}

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        operations = [*ops]
        reply = self._peer.ask("store.batch", self._params(operations)).result()
        return _results(operations, reply.result["results"])

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        operations = [*ops]
        reply = await self._peer.ask_async("store.batch", self._params(operations))
        return _results(operations, reply.result["results"])

    def _params(self, operations: Sequence[Op]) -> dict[str, Json]:
        return {"operations": [_operation_of(one) for one in operations], **self._ref}


def _operation_of(operation: Op) -> dict[str, Json]:
    if isinstance(operation, GetOp):
        return {"op": "get", **_place_of(operation), "refresh_ttl": operation.refresh_ttl}
    if isinstance(operation, PutOp):
        return _put_of(operation)
    if isinstance(operation, SearchOp):
        return _search_of(operation)
    if isinstance(operation, ListNamespacesOp):
        return _listing_of(operation)
    raise TypeError(f"The store knows no operation {type(operation).__name__}.")


def _place_of(operation: GetOp | PutOp) -> dict[str, Json]:
    return {"namespace": [*operation.namespace], "key": operation.key}


def _put_of(operation: PutOp) -> dict[str, Json]:
    _check_value(operation)
    index = operation.index
    return {
        "op": "put",
        **_place_of(operation),
        "value": operation.value,
        **({} if index is None else {"index": index if index is False else [*index]}),
        "ttl": operation.ttl,
    }


def _check_value(operation: PutOp) -> None:
    try:
        json_bytes(operation.value)
    except (TypeError, ValueError) as cause:
        place = " / ".join((*operation.namespace, operation.key))
        raise TypeError(f"The value of {place} can’t be stored, because it is not JSON: {cause}.") from cause


def _search_of(operation: SearchOp) -> dict[str, Json]:
    return {
        "op": "search",
        "namespace_prefix": [*operation.namespace_prefix],
        **({"filter": operation.filter} if operation.filter else {}),
        **_page_of(operation),
        **({} if operation.query is None else {"query": operation.query}),
        "refresh_ttl": operation.refresh_ttl,
    }


def _listing_of(operation: ListNamespacesOp) -> dict[str, Json]:
    conditions = [
        {"match_type": one.match_type, "path": [*one.path]} for one in operation.match_conditions or ()
    ]
    return {
        "op": "list_namespaces",
        **({"match_conditions": conditions} if conditions else {}),
        **({} if operation.max_depth is None else {"max_depth": operation.max_depth}),
        **_page_of(operation),
    }


def _page_of(operation: SearchOp | ListNamespacesOp) -> dict[str, Json]:
    return {"limit": operation.limit, "offset": operation.offset}


def _results(operations: Sequence[Op], results: Sequence[Json]) -> list[Result]:
    return [_result_of(operation, result) for operation, result in zip(operations, results, strict=True)]


def _result_of(operation: Op, result: Json) -> Result:
    if isinstance(operation, GetOp):
        return None if result is None else Item(**_fields_of(result))
    if isinstance(operation, SearchOp):
        return [SearchItem(**_fields_of(one), score=one.get("score")) for one in result]
    if isinstance(operation, ListNamespacesOp):
        return [tuple(namespace) for namespace in result]
    return None


def _fields_of(item: Mapping[str, Json]) -> dict[str, Any]:
    return {name: item[name] for name in ("namespace", "key", "value", "created_at", "updated_at")}
