from __future__ import annotations

import asyncio
import json
import queue
import types
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from uuid import UUID, uuid4

import langsmith.client
import pytest

from roadstead_host.tracing.trace_queue import TraceQueue
from roadstead_host.tracing.trace_uploads import TraceUploads


class Server(ThreadingHTTPServer):
    """Answers as the platform does, and keeps what was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.sent: list[tuple[str, bytes]] = []
        self.goes_on = Event()
        self.goes_on.set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        config = {"use_multipart_endpoint": True, "size_limit": 1000, "size_limit_bytes": 5_000_000}
        more = {"scale_up_qsize_trigger": 1000, "scale_up_nthreads_limit": 16, "scale_down_nempty_trigger": 4}
        self._answer({"version": "0.18.0", "batch_ingest_config": {**config, **more}, "instance_flags": {}})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.goes_on.wait(30)
        self.server.sent.append((self.path, body))
        self._answer({})

    def _answer(self, value: object) -> None:
        text = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: Any) -> None:
        pass


def test_when_a_version_of_the_sdk_measures_nothing_then_it_is_left_alone() -> None:
    older = types.SimpleNamespace(
        PriorityQueue=queue.PriorityQueue,
        SerializedRunOperation=type("SerializedRunOperation", (), {}),
        SerializedFeedbackOperation=type("SerializedFeedbackOperation", (), {}),
        Client=type("Client", (), {"_multipart_ingest_ops": None}),
    )
    uploads = TraceUploads(None)
    uploads.adopt(older)
    assert (older.PriorityQueue, uploads.are_ours) == (queue.PriorityQueue, False)


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.goes_on.set()
    server.shutdown()


@contextmanager
def adopted(uploads: TraceUploads) -> Iterator[Any]:
    """The module of the SDK as a host has it; afterwards it is as it was."""
    module: Any = langsmith.client
    kept = (module.PriorityQueue, module.Client._multipart_ingest_ops, module.ls_env)
    module.ls_env.get_langchain_env_var_metadata.cache_clear()
    module.ls_env = types.SimpleNamespace(**vars(module.ls_env))
    uploads.adopt(module)
    try:
        yield module
    finally:
        module.PriorityQueue, module.Client._multipart_ingest_ops, module.ls_env = kept
        module.ls_env.get_langchain_env_var_metadata.cache_clear()


def begin(client: Any, **fields: Any) -> UUID:
    run_id = uuid4()
    order = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ") + str(run_id)
    named = {"id": run_id, "trace_id": run_id, "dotted_order": order, "project_name": "p", **fields}
    client.create_run("run", {"said": "hello"}, "chain", **named)
    client.update_run(run_id, trace_id=run_id, dotted_order=order, outputs={"said": "echo"})
    return run_id


def test_when_runs_end_soon_then_they_are_sent_once_as_json(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGSMITH_DISABLE_RUN_COMPRESSION", "true")
    monkeypatch.setenv("LANGSMITH_OWN", "kept")
    with adopted(TraceUploads(server.url)) as module:
        client = module.Client(api_url=server.url, api_key="k")
        assert isinstance(client.tracing_queue, TraceQueue)
        ids = [str(begin(client)) for _ in range(3)]
        client.flush()
        client.cleanup()
    [(path, body)] = server.sent
    assert path == "/runs/batch"
    runs = json.loads(body)["post"]
    assert sorted(run["id"] for run in runs) == sorted(ids)
    assert {run["outputs"]["said"] for run in runs} == {"echo"}
    metadata = runs[0]["extra"]["metadata"]
    assert metadata["LANGSMITH_OWN"] == "kept"
    assert "LANGSMITH_DISABLE_RUN_COMPRESSION" not in metadata


def test_when_runs_carry_files_or_go_elsewhere_then_they_are_sent_as_forms(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGSMITH_DISABLE_RUN_COMPRESSION", "true")
    for endpoint, fields in (
        (server.url, {"attachments": {"file": ("text/plain", b"text")}}),
        ("http://elsewhere", {}),
    ):
        with adopted(TraceUploads(endpoint)) as module:
            client = module.Client(api_url=server.url, api_key="k")
            begin(client, **fields)
            client.flush()
            client.cleanup()
        assert server.sent.pop()[0] == "/runs/multipart"


def test_when_more_is_held_than_may_then_runs_wait_for_it(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANGSMITH_DISABLE_RUN_COMPRESSION", "true")
    asyncio.run(hold_much(server))


async def hold_much(server: Server) -> None:
    server.goes_on.clear()
    uploads = TraceUploads(server.url)
    with adopted(uploads) as module:
        client = module.Client(api_url=server.url, api_key="k")
        await asyncio.wait_for(uploads.turn(), 1)
        for _ in range(4):
            begin(client, tags=["x" * 9_000_000])
        waiting = asyncio.create_task(uploads.turn())
        done, _ = await asyncio.wait([waiting], timeout=0.3)
        assert not done
        server.goes_on.set()
        await waiting
        await asyncio.to_thread(client.flush)
        client.cleanup()
