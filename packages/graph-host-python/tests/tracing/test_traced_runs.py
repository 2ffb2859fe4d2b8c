"""What a host traces of its runs, by the user's own SDK, as a server sees it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from support.host_process import HostProcess
from support.trace_sink import TraceSink, trace_sink

CODE = """
from typing import TypedDict
from langgraph.errors import GraphInterrupt, NodeInterrupt
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Interrupt, interrupt

class State(TypedDict, total=False):
    deed: str
    said: str

class Pause(GraphInterrupt):
    pass

async def act(state: State):
    match state["deed"]:
        case "ask":
            return {"said": interrupt("Sure?")}
        case "ask early":
            raise NodeInterrupt("Not yet.")
        case "pause":
            raise Pause((Interrupt("A moment."),))
        case "hand on":
            return Command(graph=Command.PARENT, update={"said": "handed on"})
        case "fail":
            raise TypeError("no luck")
    return {"said": state["deed"]}

inner = StateGraph(State).add_node("act", act).add_edge(START, "act").compile()
graph = StateGraph(State).add_node("inner", inner).add_edge(START, "inner").compile()
"""


DEEDS = ("hello", "ask", "ask early", "pause", "hand on", "fail", "try", "compare")
METADATA = {
    "thread_id": "thread-of-the-client",
    "revision_id": "revision",
    "run_attempt": 1,
    "a2a_task_id": "task",
    "a2a_context_id": "context",
}
EXAMPLE = str(uuid4())
# Further parameters for the runs of some deeds.
MORE: dict[str, dict[str, Any]] = {
    "hello": {"thread_id": "thread-of-the-state", "metadata": METADATA, "tags": ["mine"]},
    "compare": {"traced_to": {"project_name": "experiment", "example_id": EXAMPLE}},
    "try": {"feedback_keys": ["helpful", "helpful", "right"]},
}


@dataclass(frozen=True, slots=True)
class Traced:
    """What came of a run of each deed, and what was traced of all."""

    done: dict[str, Any]
    runs: dict[str, dict[str, Any]]
    feedback: list[Any]

    def root(self, deed: str) -> dict[str, Any]:
        return self.runs[self.done[deed]["run_id"]]

    def below(self, deed: str) -> list[dict[str, Any]]:
        run_id = self.done[deed]["run_id"]
        return [one for one in self.runs.values() if one["trace_id"] == run_id != one["id"]]


@contextmanager
def host_of(folder: Path, sink: TraceSink) -> Iterator[HostProcess]:
    (folder / "graph.py").write_text(CODE)
    host = HostProcess(folder, {"agent": "./graph.py:graph"}, sink.environment)
    try:
        yield host
    finally:
        host.close()


def stop(host: HostProcess, grace_ms: int = 10_000) -> float:
    """Has it send what it holds; how long that took."""
    begun = time.monotonic()
    assert host.ask("stop", {"grace_ms": grace_ms}) == {}
    assert host.exit_code() == 0
    return time.monotonic() - begun


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Traced:
    with trace_sink() as sink, host_of(tmp_path_factory.mktemp("traced"), sink) as host:
        begun = {deed: host.begin_run("agent", {"deed": deed}, **MORE.get(deed, {})) for deed in DEEDS}
        done = {deed: host.end_of(run_id) for deed, run_id in begun.items()}
        events = [event for told in host.heard("emit") for event in told["events"]]
        stop(host)
        feedback = [one["data"] for one in events if one.get("event") == "feedback"]
        return Traced(done, sink.runs(), feedback)


def test_when_a_run_is_traced_then_it_is_one_of_ours(traced: Traced) -> None:
    root, run_id = traced.root("hello"), traced.done["hello"]["run_id"]
    assert (root["name"], root["run_type"], root["session_name"]) == ("agent", "chain", "own")
    assert (root["trace_id"], root["tags"], "error" in root) == (run_id, ["mine"], False)
    assert root["inputs"]["deed"] == "hello"
    assert root["outputs"] == {"deed": "hello", "said": "hello"}
    known = root["extra"]["metadata"]
    assert METADATA.items() <= known.items()
    assert {"run_id": run_id, "graph_id": "agent", "assistant_id": "assistant"}.items() <= known.items()
    assert {one["name"] for one in traced.below("hello")} >= {"inner", "act"}
    # Whatever is below it is of the same tracing thread.
    for one in traced.below("hello"):
        assert METADATA.items() <= one["extra"]["metadata"].items()


# As ingestion knows what has not failed (`bubble-up-rules.ts`).
NAMES = ("GraphInterrupt(", "NodeInterrupt(", "ParentCommand(")


@pytest.mark.parametrize("deed", ["ask", "ask early", "pause", "hand on"])
def test_when_a_graph_asks_or_hands_on_then_no_run_has_failed(traced: Traced, deed: str) -> None:
    assert traced.done[deed]["outcome"] == "success"
    errors = [one["error"] for one in traced.below(deed) if "error" in one]
    assert errors
    assert all(error.startswith(NAMES) for error in errors), errors
    assert "error" not in traced.root(deed)


def test_when_a_graph_fails_then_each_run_says_so(traced: Traced) -> None:
    assert traced.done["fail"]["outcome"] == "error"
    for one in (traced.root("fail"), *traced.below("fail")):
        assert one["error"].startswith("TypeError('no luck')")


def test_when_a_run_names_a_project_then_it_is_traced_there_and_to_its_own(traced: Traced) -> None:
    roots = [one for one in traced.runs.values() if one["id"] == one["trace_id"]]
    answers = [one for one in roots if one.get("session_name") == "experiment"]
    assert [one["reference_example_id"] for one in answers] == [EXAMPLE]
    ids = {done["run_id"] for done in traced.done.values()}
    assert answers[0]["id"] not in ids
    assert {one["id"] for one in roots if one.get("session_name") == "own"} == ids


def test_when_links_for_feedback_are_wanted_then_they_come_before_the_end(traced: Traced) -> None:
    assert traced.feedback == [{key: f"https://traces.example/{key}" for key in ("helpful", "right")}]


def test_when_nobody_takes_traces_then_runs_go_on_and_the_host_stops_in_time(tmp_path: Path) -> None:
    with trace_sink() as sink, host_of(tmp_path, sink) as host:
        sink.goes_on.clear()
        for _ in range(20):
            assert host.run("agent", {"deed": "hello"})["outcome"] == "success"
        assert stop(host, grace_ms=1000) < 10
        assert sink.bodies == []


def test_when_traces_are_refused_then_runs_go_on(tmp_path: Path) -> None:
    with trace_sink() as sink, host_of(tmp_path, sink) as host:
        sink.status = 403
        for _ in range(5):
            done = host.run("agent", {"deed": "hello"}, feedback_keys=["helpful"])
            assert done["outcome"] == "success"
        stop(host, grace_ms=1000)
        assert sink.bodies == []
        assert "ends without links for feedback" in host.output
