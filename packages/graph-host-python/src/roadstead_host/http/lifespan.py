"""Start and end of an app, as ASGI's lifespan tells them."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

from .asgi_types import ASGI, App, Complain, Event
from .user_app import UnfitAppError

Step = Literal["startup", "shutdown"]

# A step that takes so long is named: a deployment waits for it.
_SLOW_S: float | None = 10.0
_LAST_WORDS_S = 1.0


class Lifespan:
    def __init__(self, app: App, complain: Complain) -> None:
        # The values that the app keeps for its requests.
        self.state: dict[str, Any] = {}
        self._app = app
        self._complain = complain
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self._answers: dict[str, asyncio.Future[str | None]] = {}
        # What the app raised at last.
        self._raised: BaseException | None = None

    async def start(self) -> None:
        """
        Where the app does not start, raises what it raised, else a sentence. One that knows no lifespan has
        none.
        """
        self._task = asyncio.get_running_loop().create_task(self._run())
        failure = await self._ask("startup")
        if failure is None:
            return
        self._complain("http.app, startup", failure)
        # An app tells that it failed before it raises why.
        await asyncio.wait((self._task,), timeout=_LAST_WORDS_S)
        if self._raised is not None:
            raise self._raised
        lines = failure.strip().splitlines() or ["it gave no reason"]
        raise UnfitAppError(f"http.app: its startup failed: {lines[-1].strip()}")

    async def stop(self) -> None:
        if self._task is None or self._task.done():
            return
        failure = await self._ask("shutdown")
        if failure is not None:
            self._complain("http.app, shutdown", failure)

    async def _ask(self, step: Step) -> str | None:
        """Waits for the app's answer: nothing, or why the step failed."""
        assert self._task is not None
        answer = self._answers[step] = asyncio.get_running_loop().create_future()
        self._events.put_nowait({"type": f"lifespan.{step}"})
        timeout = _SLOW_S
        while not answer.done() and not self._task.done():
            await asyncio.wait((answer, self._task), timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
            if timeout is not None and not answer.done() and not self._task.done():
                self._complain(
                    f"http.app, {step}", f"it has not ended after {timeout:g} s, and is waited for."
                )
            timeout = None
        return answer.result() if answer.done() else None

    async def _run(self) -> None:
        scope = {"type": "lifespan", "asgi": {**ASGI, "spec_version": "2.0"}, "state": self.state}
        try:
            await self._app(scope, self._events.get, self._take)
        except (SystemExit, KeyboardInterrupt, asyncio.CancelledError) as error:
            # It ends no more than this.
            self._raised = error
            self._fail(f"{type(error).__name__}: {error}")
        except Exception as error:
            self._raised = error
            # Before it has started, an app says so that it knows no lifespan. A failure that it told is told.
            if self._answered("startup") is None and self._answered("shutdown") is None:
                self._complain("http.app, lifespan", error)

    def _fail(self, words: str) -> None:
        waiting = [answer for answer in self._answers.values() if not answer.done()]
        for answer in waiting:
            answer.set_result(words)
        if not waiting and self._answered("startup") is None:
            self._complain("http.app, lifespan", words)

    def _answered(self, step: Step) -> str | None:
        """Why a step failed, or that it was not answered; nothing where it went well or never began."""
        answer = self._answers.get(step)
        if answer is None:
            return None
        return answer.result() if answer.done() else "It was not answered."

    async def _take(self, event: Event) -> None:
        _, step, outcome = (*str(event["type"]).split("."), "", "")[:3]
        answer = self._answers.get(step)
        if answer is None or answer.done() or outcome not in ("complete", "failed"):
            raise RuntimeError(f"The app sent {event['type']} where nothing asked for it.")
        answer.set_result(None if outcome == "complete" else str(event.get("message", "")))
