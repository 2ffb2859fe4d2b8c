"""A list of checkpoints in pages: a frame holds not more than so many states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..channel.json_text import Json

_PAGE = 50


class CheckpointPages:
    def __init__(
        self,
        config: Mapping[str, Any] | None,
        *,
        filter: Mapping[str, Any] | None,
        before: Mapping[str, Any] | None,
        limit: int | None,
    ) -> None:
        configurable = (config or {}).get("configurable") or {}
        named = {name: configurable.get(name) for name in ("thread_id", "checkpoint_ns")}
        self._query: dict[str, Json] = {
            name: str(value) for name, value in named.items() if value is not None
        }
        if filter:
            self._query["filter"] = dict(filter)
        before_id = ((before or {}).get("configurable") or {}).get("checkpoint_id")
        if before_id is not None:
            self._query["before"] = str(before_id)
        self._left = limit
        self._is_ended = False
        self.is_first = True

    def next_query(self) -> dict[str, Json] | None:
        """None after the last page."""
        size = _PAGE if self._left is None else min(self._left, _PAGE)
        if self._is_ended or size <= 0:
            return None
        self._query["limit"] = size
        return self._query

    def take(self, page: Mapping[str, Json]) -> None:
        """Notes the last answer. The engine ends a page before its limit where its states are large."""
        tuples = page["tuples"]
        self.is_first = False
        self._is_ended = page.get("more") is not True and len(tuples) < self._query["limit"]
        if self._left is not None:
            self._left -= len(tuples)
        if tuples:
            self._query["before"] = tuples[-1]["checkpoint_id"]
