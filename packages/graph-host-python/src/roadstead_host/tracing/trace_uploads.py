"""
How the user's own LangSmith SDK sends what graphs do: in batches, as JSON unless there are files, and so that
runs wait for it where it can't keep up.
"""

from __future__ import annotations

import asyncio
import os
import queue
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from threading import Lock
from time import monotonic
from typing import Any

from .lean_tracer import make_lean
from .trace_queue import TraceQueue, open_queues, size_of

# Where traces go, as the tracing client finds it; read before user code may change it.
_TRACING, _ENDPOINT = map(os.environ.get, ("LANGSMITH_TRACING", "LANGSMITH_ENDPOINT"))

# Variables that the platform sets, or has a default for. The SDK writes nearly all that begin with
# `LANGSMITH_` into the metadata of every run, where these say nothing of the run.
_OF_PLATFORM = (
    "LANGSMITH_API_URL",
    "LANGSMITH_DISABLE_RUN_COMPRESSION",
    "LANGSMITH_ENDPOINT",
    "LANGSMITH_PROJECT",
    "LANGSMITH_TRACING",
    "LANGSMITH_WORKSPACE_ID",
)

# What a client sends, which newer versions measure by themselves.
_OPERATIONS = ("SerializedRunOperation", "SerializedFeedbackOperation")

# From here on runs wait. A full queue would lose what is put.
_MAX_BYTES = 32_000_000
_MAX_ITEMS = 5_000
_LOOK_S = 0.05
# Where traces can't be sent, runs go on all the same.
_LONGEST_WAIT_S = 2.0


class TraceUploads:
    """The endpoint is that of ours, to which alone runs are sent as JSON."""

    def __init__(self, endpoint: str | None) -> None:
        self._endpoint = None if endpoint is None else endpoint.rstrip("/")
        self._lock = Lock()
        self._bytes_under_way = 0
        # Whether clients send so.
        self.are_ours = False

    def adopt(self, module: Any) -> None:
        """
        Has all clients that the module makes from here on send so. A version of the SDK that reads otherwise
        is left alone.
        """
        if not all(hasattr(getattr(module, name, None), "calculate_serialized_size") for name in _OPERATIONS):
            return
        if getattr(module, "PriorityQueue", None) is queue.PriorityQueue:
            module.PriorityQueue = TraceQueue
            self.are_ours = True
        client = module.Client
        as_form = getattr(client, "_multipart_ingest_ops", None)
        as_json = getattr(client, "_batch_ingest_run_ops", None)
        if as_form is not None and as_json is not None:
            client._multipart_ingest_ops = self._sending(as_form, as_json)
        environment: Any = getattr(module, "ls_env", None)
        metadata = getattr(environment, "get_langchain_env_var_metadata", None)
        if metadata is not None:
            environment.get_langchain_env_var_metadata = cache(lambda: _without_platform(metadata()))

    async def turn(self) -> None:
        """Until a run may begin."""
        until = monotonic() + _LONGEST_WAIT_S
        while self._is_late() and monotonic() < until:
            await asyncio.sleep(_LOOK_S)

    def _is_late(self) -> bool:
        queues = open_queues()
        held = self._bytes_under_way + sum(one.bytes for one in queues)
        return held >= _MAX_BYTES or any(one.qsize() >= _MAX_ITEMS for one in queues)

    def _sending(self, as_form: Callable[..., None], as_json: Callable[..., None]) -> Callable[..., None]:
        def send(client: Any, ops: Sequence[Any], **options: Any) -> None:
            url = options.get("api_url") or client.api_url
            is_plain = url == self._endpoint and _are_plain(ops) and _keeps_no_files(client)
            size = sum(map(size_of, ops))
            self._count(size)
            try:
                (as_json if is_plain else as_form)(client, ops, **options)
            finally:
                self._count(-size)

        return send

    def _count(self, more: int) -> None:
        with self._lock:
            self._bytes_under_way += more


uploads = TraceUploads(_ENDPOINT)


def provide_trace_uploads() -> None:
    """Called before modules of the project are loaded, which may make clients."""
    if _TRACING != "true":
        return
    try:
        from langchain_core.tracers.langchain import LangChainTracer
        from langsmith import client

        uploads.adopt(client)
        make_lean(LangChainTracer)
    except Exception as error:
        print(f"Traces are sent as the LangSmith SDK sends them by itself: {error}", file=sys.stderr)


def _without_platform(metadata: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in metadata.items() if name not in _OF_PLATFORM}


def _are_plain(ops: Sequence[Any]) -> bool:
    """Runs without files: feedback and files need a form."""
    return all(hasattr(op, "operation") and not op.attachments for op in ops)


def _keeps_no_files(client: Any) -> bool:
    """What can't be sent is kept in files by some clients, which write them as forms."""
    return getattr(client, "_failed_traces_dir", None) is None
