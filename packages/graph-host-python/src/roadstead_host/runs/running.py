"""The attempts that the host runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ..channel.errors import host_error_of
from ..channel.frame_checks import host_messages
from ..channel.frames import JsonBytes
from ..graphs.thread_state import StateTools
from ..project.load import LoadedGraphs
from ..values.a2a_words import is_rejection
from ..values.json import json_text
from .emitter import Emitter
from .run import RunTools, run_graph
from .run_threads import ThreadedRun, threaded_run
from .soon import Soon

Reason: TypeAlias = Literal["cancel", "drain"]

_WHY: Mapping[Reason, str] = {
    "cancel": "It was cancelled.",
    "drain": "Its process stops: it goes on in another.",
}


@dataclass(slots=True)
class _Attempt:
    emitter: Emitter
    task: asyncio.Task[None] | None = None
    # A task that is cancelled before it begins does nothing at all.
    has_begun: bool = False
    # Why the run is stopped, where it is.
    reason: Reason | None = None


class Running:
    """Runs attempts, and tells the end of each."""

    def __init__(self, graphs: LoadedGraphs, state: StateTools) -> None:
        self._graphs = graphs
        self._state = state
        self._peer = state.peer
        self._soon = Soon(asyncio.get_running_loop())
        self._attempts: dict[tuple[str, int], _Attempt] = {}
        self.on_begin: Callable[[], None] = lambda: None
        # Until a run may begin.
        self.turn: Callable[[], Awaitable[None]] = _at_once

    def __len__(self) -> int:
        return len(self._attempts)

    def begin(self, params: Mapping[str, Any]) -> None:
        run_id, number = params["run_id"], params["attempt"]
        attempt = _Attempt(Emitter(self._peer, self._soon, run_id=run_id, attempt=number))
        self._attempts[run_id, number] = attempt
        context = copy_context()
        thread = ThreadedRun(run_id, number)
        context.run(threaded_run.set, thread)
        loop = asyncio.get_running_loop()
        attempt.task = loop.create_task(self._drive(attempt, params, thread), context=context)
        self.on_begin()

    def cancel(self, run_id: str, number: int, reason: Reason, why: str | None) -> bool:
        """Whether there is such an attempt. It ends as soon as its graph lets it."""
        attempt = self._attempts.get((run_id, number))
        if attempt is None or attempt.task is None:
            return False
        if attempt.reason is None:
            attempt.reason = reason
            attempt.emitter.cancel()
            if attempt.has_begun:
                attempt.task.cancel(why or _WHY[reason])
        return True

    async def _drive(self, attempt: _Attempt, params: Mapping[str, Any], thread: ThreadedRun) -> None:
        outcome = await self._outcome(attempt, params)
        thread.has_ended = True
        ref = {"run_id": params["run_id"], "attempt": params["attempt"]}
        del self._attempts[params["run_id"], params["attempt"]]
        self._tell_done({**ref, **outcome}, ref)

    async def _outcome(self, attempt: _Attempt, params: Mapping[str, Any]) -> dict[str, Any]:
        """Never raises: what can't be loaded or reported has an end, too."""
        try:
            attempt.has_begun = True
            if attempt.reason is not None:
                return {"outcome": "cancelled", "reason": attempt.reason}
            await self.turn()
            graph = self._graphs.find(params["graph_id"])
            outcome = await run_graph(graph, params, RunTools(self._state, attempt.emitter))
            while (room := attempt.emitter.flush()) is not None:
                await asyncio.wrap_future(room)
        except BaseException as error:
            attempt.emitter.flush()
            if attempt.reason is not None:
                return {"outcome": "cancelled", "reason": attempt.reason}
            return {"outcome": "error", "error": _error_of(error)}
        if attempt.reason is not None:
            return {"outcome": "cancelled", "reason": attempt.reason}
        if attempt.emitter.untold is not None:
            return {"outcome": "error", "error": host_error_of(attempt.emitter.untold)}
        return outcome

    def _tell_done(self, done: Mapping[str, Any], ref: Mapping[str, Any]) -> None:
        """An end that can't be told is an end, too."""
        try:
            host_messages.check("done", done)
            self._peer.tell("done", JsonBytes(json_text(done)))
        except Exception as error:
            self._peer.tell("done", {**ref, "outcome": "error", "error": host_error_of(error)})


async def _at_once() -> None:
    """Nothing is waited for."""


def _error_of(error: BaseException) -> dict[str, Any]:
    return {**host_error_of(error), "rejected": True} if is_rejection(error) else host_error_of(error)
