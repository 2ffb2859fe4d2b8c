"""A server that takes traces as the platform does, and keeps what was sent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any


class TraceSink(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: list[dict[str, Any]] = []
        # Answers nothing before it is set.
        self.goes_on = Event()
        self.goes_on.set()
        # The status of each answer.
        self.status = 200

    @property
    def environment(self) -> dict[str, str]:
        """What a deployment has that traces to it."""
        return {
            "LANGSMITH_TRACING": "true",
            "LANGSMITH_ENDPOINT": f"http://127.0.0.1:{self.server_address[1]}",
            "LANGSMITH_API_KEY": "key-of-the-test",
            "LANGSMITH_PROJECT": "own",
            "LANGSMITH_DISABLE_RUN_COMPRESSION": "true",
        }

    def runs(self) -> dict[str, dict[str, Any]]:
        """All that was sent of each run, as one."""
        found: dict[str, dict[str, Any]] = {}
        for body in [*self.bodies]:
            for one in (*body.get("post", ()), *body.get("patch", ())):
                known = {name: value for name, value in one.items() if value is not None}
                found[one["id"]] = {**found.get(one["id"], {}), **known}
        return found

    def named(self, name: str) -> list[dict[str, Any]]:
        return [one for one in self.runs().values() if one.get("name") == name]


class _Handler(BaseHTTPRequestHandler):
    server: TraceSink

    def do_GET(self) -> None:
        config = {"use_multipart_endpoint": False, "size_limit": 100, "size_limit_bytes": 5_000_000}
        more = {"scale_up_qsize_trigger": 1000, "scale_up_nthreads_limit": 16, "scale_down_nempty_trigger": 4}
        self._answer(
            200, {"version": "0.18.0", "batch_ingest_config": {**config, **more}, "instance_flags": {}}
        )

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.goes_on.wait(60)
        if self.server.status == 200 and self.path == "/runs/batch":
            self.server.bodies.append(json.loads(body))
        if self.path == "/feedback/tokens":
            wanted = [one["feedback_key"] for one in json.loads(body)]
            self._answer(self.server.status, [{"url": f"https://traces.example/{key}"} for key in wanted])
        else:
            self._answer(self.server.status, {})

    def _answer(self, status: int, value: object) -> None:
        text = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def trace_sink() -> Iterator[TraceSink]:
    sink = TraceSink()
    Thread(target=sink.serve_forever, daemon=True).start()
    try:
        yield sink
    finally:
        sink.goes_on.set()
        sink.shutdown()
        sink.server_close()
