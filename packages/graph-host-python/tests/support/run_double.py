"""An engine that gives runs, and hears their events and ends."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Event
from typing import Any
from uuid import uuid4

from roadstead_host.checkpoints.serde import create_serde
from roadstead_host.graphs.thread_state import StateTools
from roadstead_host.project.load import LoadedGraphs
from roadstead_host.project.loaded_graph import LoadedGraph, source_of
from roadstead_host.runs.running import Running
from support.engine_double import Blobs, EngineDouble, Fields


@dataclass(frozen=True)
class RunEnd:
    outcome: Fields
    events: list[Fields]

    def texts(self) -> list[str]:
        """The texts of whole messages."""
        return [event["message"]["text"] for event in self.events if event["kind"] == "message"]

    def streamed(self, name: str) -> list[Any]:
        return [event["data"] for event in self.events if event.get("event") == name]


@dataclass
class _Heard:
    events: list[Fields] = field(default_factory=list)
    parts: dict[int, Any] = field(default_factory=dict)
    end: Fields | None = None


class RunDouble(EngineDouble):
    def __init__(self) -> None:
        self._runs: dict[tuple[str, int], _Heard] = {}
        self._changed = Condition()
        # Until then hosts may say no more than a little.
        self.room = Event()
        self.room.set()
        super().__init__()

    def _hear(self, head: Fields, blobs: Blobs) -> None:
        method, params = head["method"], head["params"]
        if method not in ("emit", "done"):
            super()._hear(head, blobs)
        else:
            self.heard.append(f"{'ask' if 'id' in head else 'tell'} {method}")
            run = self._runs.setdefault((params["run_id"], params["attempt"]), _Heard())
            if method == "emit":
                run.events += [_whole(event, run.parts) for event in params["events"]]
            else:
                run.end = params
            if "id" in head:
                self._notify()
                self.room.wait(20)
                self.engine.send({"re": head["id"], "result": {}})
        self._notify()

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def wait_for(self, condition: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(condition, 20), self.heard

    def end_of(self, run_id: str, attempt: int) -> RunEnd:
        self.wait_for(lambda: self._of(run_id, attempt).end is not None)
        run = self._of(run_id, attempt)
        assert run.end is not None
        outcome = {name: value for name, value in run.end.items() if name not in ("run_id", "attempt")}
        return RunEnd(outcome, run.events)

    def events_of(self, run_id: str) -> list[Fields]:
        return self._of(run_id, 1).events

    def _of(self, run_id: str, attempt: int) -> _Heard:
        return self._runs.get((run_id, attempt), _Heard())


def _whole(event: Fields, parts: dict[int, Any]) -> Fields:
    """The event as it is meant, where it shares a part with others."""
    rest = {name: value for name, value in event.items() if name not in ("shares", "shared")}
    if "shares" in event:
        parts[event["shares"]] = event["data"][-1]
    return {**rest, "data": [*rest["data"], parts[event["shared"]]]} if "shared" in event else rest


class Runs:
    """Runs graphs on the loop that it was made in."""

    def __init__(self, double: RunDouble, graphs: Mapping[str, Any]) -> None:
        self.double = double
        root = Path("/project")
        by_id = {
            name: LoadedGraph(name, name, root, None, None, None, source_of(graph, name, root))
            for name, graph in graphs.items()
        }
        self.running = Running(LoadedGraphs(by_id, {}), StateTools(double.peer, create_serde(), None))

    def begin(self, graph_id: str, value: Any = None, **params: Any) -> Fields:
        thread_id = params.get("thread_id", str(uuid4()))
        whole: Fields = {
            "run_id": str(uuid4()),
            "attempt": 1,
            "thread_id": thread_id,
            "graph_id": graph_id,
            "assistant_id": "assistant",
            "configurable": {},
            "metadata": {},
            "tags": [],
            "chunks": False,
            "durability": "async",
            "has_checkpoint": bool(self.double.checkpoints(thread_id)),
            **({} if value is None else {"input": value}),
            **params,
        }
        self.running.begin(whole)
        return whole

    async def run(self, graph_id: str, value: Any = None, **params: Any) -> RunEnd:
        whole = self.begin(graph_id, value, **params)
        return await self.end_of(whole)

    async def end_of(self, whole: Fields) -> RunEnd:
        return await asyncio.to_thread(self.double.end_of, whole["run_id"], whole["attempt"])

    async def until(self, condition: Callable[[], bool]) -> None:
        await asyncio.to_thread(self.double.wait_for, condition)


def with_runs(graphs: Mapping[str, Any], work: Callable[[Runs], Awaitable[Any]]) -> Any:
    """Does the work on a loop of its own."""

    async def whole() -> Any:
        async with AsyncExitStack() as stack:
            double = RunDouble()
            stack.callback(double.close)
            return await work(Runs(double, graphs))

    return asyncio.run(whole())


def human(text: str) -> Fields:
    return {"messages": [{"role": "user", "content": text}]}
