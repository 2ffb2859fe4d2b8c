"""The engine's side of checkpoints and store, in memory: it answers as Postgres would."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from threading import Thread
from typing import Any

from support.engine import Engine
from support.item_double import ItemDouble

_TASKS = "__pregel_tasks"
# The most states of one answer.
_PAGE = 40

Fields = dict[str, Any]
Blobs = Sequence[bytes]
Typed = tuple[str, bytes]


class _Blobs:
    """The bytes of an answer."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []

    def place(self, typed: Typed) -> Fields:
        self.sent.append(typed[1])
        return {"type": typed[0], "blob": len(self.sent) - 1}


class EngineDouble:
    """Serves the peer of its engine until that ends."""

    def __init__(self) -> None:
        self._checkpoints: dict[tuple[str, str, str], Fields] = {}
        self._channels: dict[tuple[str, str, str, str], Typed] = {}
        self._writes: dict[tuple[str, str, str], dict[tuple[str, int], Fields]] = {}
        self._items = ItemDouble()
        # Every method that was asked (`ask …`) or told (`tell …`), in order, and its parameters.
        self.heard: list[str] = []
        self.params: list[Fields] = []
        # Answers a method with an error of this name.
        self.refused: dict[str, str] = {}
        self._answers: dict[str, Callable[[Fields, Blobs, _Blobs], Any]] = {
            "checkpoint.get": self._get,
            "checkpoint.list": self._list,
            "checkpoint.deltas": self._deltas,
            "checkpoint.put": self._put,
            "checkpoint.put_writes": self._put_writes,
            "checkpoint.delete_thread": self._delete_thread,
            "store.batch": lambda params, _blobs, _sent: {"results": self._items.batch(params["operations"])},
        }
        self.engine = Engine()
        self.peer = self.engine.peer
        Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                head, blobs = self.engine.read()
            except (AssertionError, OSError):
                return
            self._hear(head, blobs)

    def _hear(self, head: Fields, blobs: Blobs) -> None:
        method = head["method"]
        self.heard.append(f"{'ask' if 'id' in head else 'tell'} {method}")
        self.params.append(head["params"])
        sent = _Blobs()
        if method in self.refused:
            answer = {"error": {"name": self.refused[method], "message": "refused"}}
        else:
            answer = {"result": self._answers[method](head["params"], blobs, sent)}
        if "id" in head:
            self.engine.send({"re": head["id"], **answer}, sent.sent)

    def close(self) -> None:
        # Wakes the thread that reads.
        self.engine.socket.shutdown(socket.SHUT_RDWR)
        self.engine.end()

    def checkpoints(self, thread_id: str, checkpoint_ns: str | None = None) -> list[Fields]:
        """What a thread has, newest first."""
        found = [
            one
            for one in self._checkpoints.values()
            if one["thread_id"] == thread_id and checkpoint_ns in (None, one["checkpoint_ns"])
        ]
        return sorted(found, key=lambda one: str(one["checkpoint_id"]), reverse=True)

    def _put(self, params: Fields, blobs: Blobs, _sent: _Blobs) -> Fields:
        put = dict(params)
        place = (put["thread_id"], put["checkpoint_ns"])
        for one in put.pop("channels"):
            self._channels.setdefault(
                (*place, one["channel"], one["version"]), (one["type"], blobs[one["blob"]])
            )
        self._checkpoints[(*place, put["checkpoint_id"])] = put
        return {}

    def _put_writes(self, params: Fields, blobs: Blobs, _sent: _Blobs) -> Fields:
        key = (params["thread_id"], params["checkpoint_ns"], params["checkpoint_id"])
        stored = self._writes.setdefault(key, {})
        for one in params["writes"]:
            place = (params["task_id"], one["idx"])
            if one["idx"] >= 0 and place in stored:
                continue
            order = (params.get("task_path", ""), *place)
            typed = (one["type"], blobs[one["blob"]])
            stored[place] = {"channel": one["channel"], "order": order, "typed": typed}
        return {}

    def _delete_thread(self, params: Fields, _blobs: Blobs, _sent: _Blobs) -> Fields:
        tables: list[dict[Any, Any]] = [self._checkpoints, self._channels, self._writes]
        for table in tables:
            for key in [key for key in table if key[0] == params["thread_id"]]:
                table.pop(key)
        return {}

    def _get(self, params: Fields, _blobs: Blobs, sent: _Blobs) -> Fields | None:
        found = self._named(params)
        return None if found is None else self._tuple(found, sent)

    def _named(self, params: Fields) -> Fields | None:
        wanted = params.get("checkpoint_id")
        found = self.checkpoints(params["thread_id"], params["checkpoint_ns"])
        return next((one for one in found if wanted in (None, one["checkpoint_id"])), None)

    def _list(self, params: Fields, _blobs: Blobs, sent: _Blobs) -> Fields:
        threads = {one["thread_id"] for one in self._checkpoints.values()}
        wanted = [params["thread_id"]] if "thread_id" in params else sorted(threads)
        found = [one for thread in wanted for one in self.checkpoints(thread, params.get("checkpoint_ns"))]
        before = params.get("before")
        fitting = [
            one
            for one in sorted(found, key=lambda one: str(one["checkpoint_id"]), reverse=True)
            if (before is None or one["checkpoint_id"] < before)
            and all(one["metadata"].get(name) == value for name, value in params.get("filter", {}).items())
        ]
        whole = fitting[: params.get("limit")]
        page: Fields = {"tuples": [self._tuple(one, sent) for one in whole[:_PAGE]]}
        return {**page, "more": True} if len(whole) > _PAGE else page

    def _tuple(self, found: Fields, sent: _Blobs) -> Fields:
        place = (found["thread_id"], found["checkpoint_ns"])
        versions: Mapping[str, Any] = found["checkpoint"]["channel_versions"]
        stored = {
            channel: self._channels.get((*place, channel, str(version)))
            for channel, version in versions.items()
        }
        parent = found["parent_checkpoint_id"]
        before_v4 = found["checkpoint"]["v"] < 4 and parent is not None
        sends = self._writes_of((*place, parent)) if before_v4 else []
        names = (
            "thread_id",
            "checkpoint_ns",
            "checkpoint_id",
            "parent_checkpoint_id",
            "checkpoint",
            "metadata",
        )
        return {
            **{name: found[name] for name in names},
            "channels": [
                {"channel": channel, **sent.place(typed)}
                for channel, typed in stored.items()
                if typed is not None
            ],
            "writes": [
                {
                    "task_id": one["order"][1],
                    "idx": one["order"][2],
                    "channel": one["channel"],
                    **sent.place(one["typed"]),
                }
                for one in self._writes_of((*place, found["checkpoint_id"]))
            ],
            "pending_sends": [sent.place(one["typed"]) for one in sends if one["channel"] == _TASKS],
        }

    def _writes_of(self, key: tuple[str, str, str]) -> list[Fields]:
        stored = self._writes.get(key, {})
        return sorted(stored.values(), key=lambda one: tuple(one["order"]))

    def _deltas(self, params: Fields, _blobs: Blobs, sent: _Blobs) -> Fields:
        return {"channels": [self._history(params, channel, sent) for channel in params["channels"]]}

    def _history(self, params: Fields, channel: str, sent: _Blobs) -> Fields:
        steps: list[list[Fields]] = []
        seed: Typed | None = None
        for one in self._ancestors(params):
            place = (params["thread_id"], params["checkpoint_ns"])
            writes = self._writes_of((*place, one["checkpoint_id"]))
            steps.insert(0, [write for write in writes if write["channel"] == channel])
            seed = self._seed(one, channel)
            if seed is not None:
                break
        writes = [write for step in steps for write in step]
        history = {
            "channel": channel,
            "writes": [{"task_id": one["order"][1], **sent.place(one["typed"])} for one in writes],
        }
        return history if seed is None else {**history, "seed": sent.place(seed)}

    def _ancestors(self, params: Fields) -> Iterator[Fields]:
        at = self._named(params)
        while at is not None and at["parent_checkpoint_id"] is not None:
            place = (params["thread_id"], params["checkpoint_ns"], at["parent_checkpoint_id"])
            at = self._checkpoints.get(place)
            if at is not None:
                yield at

    def _seed(self, one: Fields, channel: str) -> Typed | None:
        checkpoint = one["checkpoint"]
        version = str(checkpoint["channel_versions"].get(channel))
        stored = self._channels.get((one["thread_id"], one["checkpoint_ns"], channel, version))
        inline = checkpoint.get("channel_values", {}).get(channel)
        if stored is None and inline is not None:
            return ("json", json.dumps(inline).encode())
        return stored
