"""The engine's store, in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_STAMPS = {"created_at": "2026-01-01T00:00:00.000Z", "updated_at": "2026-01-02T00:00:00.000Z"}


class ItemDouble:
    def __init__(self) -> None:
        self._items: dict[tuple[str, ...], dict[str, Any]] = {}

    def batch(self, operations: Sequence[dict[str, Any]]) -> list[Any]:
        return [self._run(one) for one in operations]

    def _run(self, operation: dict[str, Any]) -> Any:
        match operation["op"]:
            case "put":
                return self._put(operation)
            case "get":
                return self._items.get((*operation["namespace"], operation["key"]))
            case "search":
                prefix = operation["namespace_prefix"]
                found = [one for one in self._items.values() if one["namespace"][: len(prefix)] == prefix]
                fitting = [one for one in found if self._fits(one, operation.get("filter", {}))]
                return _page(fitting, operation)
            case _:
                depth = operation.get("max_depth")
                names = sorted({tuple(one["namespace"][:depth]) for one in self._items.values()})
                return _page([list(name) for name in names if _matches(name, operation)], operation)

    def _put(self, operation: dict[str, Any]) -> None:
        place = (*operation["namespace"], operation["key"])
        if operation["value"] is None:
            self._items.pop(place, None)
            return
        item = {name: operation[name] for name in ("namespace", "key", "value")}
        self._items[place] = {**item, **_STAMPS}

    def _fits(self, item: dict[str, Any], wanted: dict[str, Any]) -> bool:
        return all(item["value"].get(name) == value for name, value in wanted.items())


def _matches(name: tuple[str, ...], operation: dict[str, Any]) -> bool:
    conditions = operation.get("match_conditions", [])
    return all(
        list(name[: len(one["path"])] if one["match_type"] == "prefix" else name[-len(one["path"]) :])
        == one["path"]
        for one in conditions
    )


def _page(found: list[Any], operation: dict[str, Any]) -> list[Any]:
    return found[operation["offset"] : operation["offset"] + operation["limit"]]
