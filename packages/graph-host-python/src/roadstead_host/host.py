"""
The graph host: the only process that runs user code. Its parent speaks to it over file descriptor 3; when
that ends, so does the host. The current folder is the deployed revision.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import socket
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, NoReturn

from .channel.dial_in import dial_in
from .channel.errors import MalformedFrameError, host_error_of
from .channel.log_lines import LogLines
from .channel.peer import Peer, Question
from .channel.versions import PROTOCOL_VERSIONS, check_shared_version
from .http.sdk_clients import provide_loopback
from .process_rules import ignore_signals, keep_connections
from .project.load_error import load_errors
from .project.logging_channel import provide_logging
from .project.module_folders import open_module_folders
from .project.revision_python import provide_python
from .runs.blocking_watch import BlockingWatch
from .runs.busy_selector import BusySelector
from .runs.held_loop import HeldLoop
from .runs.memory import resident_bytes
from .runs.run_threads import RunThreads
from .tracing.flush import flush_traces

if TYPE_CHECKING:
    from .loaded_host import LoadedHost

_CHANNEL = 3
# Exit code of a process in which nothing can be relied on any more (EX_SOFTWARE of sysexits).
_BROKEN = 70
_LAST_WORDS_S = 1.0
# A tenth of a run's time was looking for cycles, of which runs leave few: it is done for 50,000 new objects.
_COLLECTIONS = (50_000, 10, 10)


class Host:
    def __init__(
        self,
        connection: socket.socket,
        loop: asyncio.AbstractEventLoop,
        selector: BusySelector,
        threads: RunThreads,
    ) -> None:
        self.peer = Peer(connection, self._hear)
        self._loop = loop
        self._selector = selector
        self._threads = threads
        self._root = Path.cwd().resolve()
        # The parts that `langgraph.json` names, read by the process that started us.
        self._named: Mapping[str, Any] = json.loads(os.environ.get("ROADSTEAD_PROJECT", '{"graphs": {}}'))
        self._loading: asyncio.Task[LoadedHost] | None = None
        self._loaded: LoadedHost | None = None
        self._answering: set[asyncio.Task[None]] = set()
        self._held = HeldLoop(loop, selector)

    def serve(self) -> NoReturn:
        """Hears the engine until it is gone, and with it the reason to run."""
        code = 0
        try:
            self.peer.serve()
        except MalformedFrameError as fault:
            print(f"The engine broke the protocol: {fault}.", file=sys.stderr)
            code = _BROKEN
        except BaseException:
            traceback.print_exc()
            code = _BROKEN
        end_process(code)

    def _hear(self, question: Question) -> None:
        """Called by the thread that reads, which answers for a busy loop, too."""
        if question.method == "ping":
            runs = 0 if self._loaded is None else len(self._loaded.running)
            held_up = self._held.facts()
            said = {} if held_up is None else {"held_up": held_up}
            question.answer({"runs": runs, "heap_bytes": resident_bytes(), **said})
        else:
            self._loop.call_soon_threadsafe(self._begin, question)

    def _begin(self, question: Question) -> None:
        # Nothing that is loaded needs to be awaited.
        if question.method == "run" and self._loaded is not None:
            self._loaded.running.begin(question.params)
            question.answer({"accepted": True})
            return
        task = self._loop.create_task(self._answer(question))
        self._answering.add(task)
        task.add_done_callback(self._answering.discard)

    async def _answer(self, question: Question) -> None:
        try:
            question.answer(await self._result(question.method, question.params))
        except BaseException as error:
            question.refuse(error)
        if question.method == "stop":
            self.peer.outbox.drain(_LAST_WORDS_S)
            end_process(0)

    async def _result(self, method: str, params: Mapping[str, Any]) -> Any:
        if method == "describe":
            check_shared_version(params.get("protocol_versions"))
            return {**(await self._load()).manifest, "protocol_versions": [*PROTOCOL_VERSIONS]}
        if method == "run":
            return await self._run(params)
        if method == "cancel":
            return {"found": self._loaded is not None and self._loaded.cancel(params)}
        if method == "stop":
            await self._stop(params["grace_ms"] / 1000)
            return {}
        return await (await self._load()).answers[method](params)

    async def _run(self, params: Mapping[str, Any]) -> Any:
        try:
            (await self._load()).running.begin(params)
        except Exception as error:
            # A run that can't begin has an end, too. It comes after the answer.
            ref = {"run_id": params["run_id"], "attempt": params["attempt"]}
            done = {**ref, "outcome": "error", "error": host_error_of(error)}
            self._loop.call_soon(self.peer.tell, "done", done)
        return {"accepted": True}

    async def _load(self) -> LoadedHost:
        """Loads once, at the first question."""
        if self._loading is None:
            self._loading = self._loop.create_task(self._loaded_host())
        return await asyncio.shield(self._loading)

    async def _loaded_host(self) -> LoadedHost:
        with load_errors("The project’s LangGraph could not be loaded", self._root):
            module = await asyncio.to_thread(_import_loaded_host)
        with load_errors("The project could not be loaded", self._root):
            self._loaded = await module.open_loaded_host(
                self.peer, self._selector, self._threads, self._named, self._root
            )
        return self._loaded

    async def _stop(self, grace_s: float) -> None:
        stopping = [asyncio.to_thread(flush_traces, grace_s)]
        if self._loaded is not None:
            stopping.append(self._loaded.stop())
        await asyncio.wait([asyncio.ensure_future(one) for one in stopping], timeout=grace_s)


def _import_loaded_host() -> Any:
    from . import loaded_host

    return loaded_host


def run_host() -> NoReturn:
    dial_in(os.environ)
    gc.set_threshold(*_COLLECTIONS)
    keep_connections()
    ignore_signals()
    programs = os.environ.pop("ROADSTEAD_PROGRAM_FOLDER", None)
    if (listed := os.environ.pop("ROADSTEAD_MODULE_FOLDERS", None)) is not None:
        folders = json.loads(listed)
        open_module_folders(folders)
        provide_python(folders, programs)
    # To a pipe Python would write in blocks.
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr]
    os.set_blocking(_CHANNEL, True)
    selector = BusySelector()
    loop = asyncio.SelectorEventLoop(selector)
    asyncio.set_event_loop(loop)
    threads = RunThreads()
    loop.set_default_executor(threads)
    host = Host(socket.socket(fileno=_CHANNEL), loop, selector, threads)
    provide_loopback()

    log = LogLines(host.peer).write
    provide_logging(log)
    BlockingWatch(selector, Path.cwd().resolve(), lambda words, once: log("WARNING", words, once)).begin()
    Thread(target=host.serve, name="roadstead-reader", daemon=True).start()
    while True:
        try:
            loop.run_forever()
        except (SystemExit, KeyboardInterrupt):
            # An error that a task raised ends that task alone.
            continue


def end_process(code: int) -> NoReturn:
    """Ends at once: threads of user code may go on for long."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            # Nobody reads it any more.
            continue
    os._exit(code)
