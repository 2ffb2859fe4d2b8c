"""A real host in a process of its own, with the engine's end of its channel."""

from __future__ import annotations

import json
import os
import socket
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Condition, Thread
from typing import Any
from uuid import uuid4

MAIN = Path(__file__).parents[2] / "src" / "roadstead_host" / "__main__.py"
_CHANNEL = 3


class HostProcess:
    """Hears all that the host says, and answers that no thread has a checkpoint."""

    def __init__(
        self, folder: Path, graphs: dict[str, str], environment: dict[str, str] | None = None
    ) -> None:
        named = {name: {"path": path, "description": None} for name, path in graphs.items()}
        self.socket, theirs = socket.socketpair()
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(MAIN)],
            cwd=folder,
            env={
                "PATH": os.environ["PATH"],
                "ROADSTEAD_PROJECT": json.dumps({"graphs": named}),
                **(environment or {}),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=(_CHANNEL,),
            # It takes no lock that another thread may hold.
            preexec_fn=lambda: os.dup2(theirs.fileno(), _CHANNEL),  # noqa: PLW1509
        )
        theirs.close()
        self.output = ""
        self.told: list[tuple[str, Any]] = []
        self._answers: dict[int, dict[str, Any]] = {}
        self._changed = Condition()
        self._asked = 0
        self._threads = [Thread(target=work, daemon=True) for work in (self._hear, self._read_output)]
        for thread in self._threads:
            thread.start()

    def ask(self, method: str, params: Any) -> Any:
        """The result; raises what the host answers as an error."""
        number = self.begin_ask(method, params)
        self.until(lambda: number in self._answers)
        answer = self._answers[number]
        if "error" in answer:
            raise RuntimeError(answer["error"]["message"])
        return answer["result"]

    def begin_ask(self, method: str, params: Any) -> int:
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        return self._asked

    def begin_run(self, graph_id: str, value: Any, **params: Any) -> str:
        run_id = str(uuid4())
        whole = {
            "run_id": run_id,
            "attempt": 1,
            "thread_id": str(uuid4()),
            "graph_id": graph_id,
            "assistant_id": "assistant",
            "input": value,
            "configurable": {},
            "metadata": {},
            "tags": [],
            "chunks": False,
            "durability": "exit",
            "has_checkpoint": False,
            **params,
        }
        assert self.ask("run", whole) == {"accepted": True}
        return run_id

    def end_of(self, run_id: str) -> Any:
        self.until(lambda: any(params["run_id"] == run_id for params in self.heard("done")))
        return next(params for params in self.heard("done") if params["run_id"] == run_id)

    def run(self, graph_id: str, value: Any, **params: Any) -> Any:
        return self.end_of(self.begin_run(graph_id, value, **params))

    def heard(self, method: str) -> list[Any]:
        return [params for told, params in [*self.told] if told == method]

    def until(self, condition: Callable[[], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(condition, 60), self.output

    def exit_code(self) -> int:
        code = self.process.wait(60)
        for thread in self._threads:
            thread.join(60)
        return code

    def close(self) -> None:
        self.process.kill()
        self.exit_code()
        self.socket.close()

    def _send(self, head: dict[str, Any]) -> None:
        text = json.dumps(head).encode()
        self.socket.sendall(struct.pack(">II", len(text) + 4, len(text)) + text)

    def _hear(self) -> None:
        with self.socket.makefile("rb") as channel:
            while len(prefix := channel.read(8)) == 8:
                total, length = struct.unpack(">II", prefix)
                head = json.loads(channel.read(length))
                channel.read(total - 4 - length)
                with self._changed:
                    if "re" in head:
                        self._answers[head["re"]] = head
                    else:
                        self.told.append((head["method"], head["params"]))
                    self._changed.notify_all()
                if head.get("method") == "checkpoint.get":
                    self._send({"re": head["id"], "result": None})

    def _read_output(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._changed:
                self.output += line.decode()
                self._changed.notify_all()
