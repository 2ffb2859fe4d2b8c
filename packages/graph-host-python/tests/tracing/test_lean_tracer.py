from __future__ import annotations

from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda
from langchain_core.tracers.langchain import LangChainTracer

from roadstead_host.tracing.lean_tracer import make_lean


class Client:
    """Keeps what it is sent."""

    def __init__(self) -> None:
        self.created: list[dict[str, Any]] = []
        self.updated: list[dict[str, Any]] = []

    def create_run(self, **run: Any) -> None:
        self.created.append(run)

    def update_run(self, **run: Any) -> None:
        self.updated.append(run)


def told(tracer: Any) -> tuple[Client, Any]:
    client = Client()
    traced = tracer(client=client, project_name="p")
    (RunnableLambda(lambda word: word + "!") | RunnableLambda(len)).invoke(
        "hello", {"callbacks": [traced], "tags": ["t"], "metadata": {"own": 1}}
    )
    return client, traced.latest_run


def stable(sent: list[dict[str, Any]]) -> list[dict[str, Any]]:
    kept = ("name", "run_type", "inputs", "outputs", "error", "session_name", "tags")
    return [{name: run.get(name) for name in kept} for run in sent]


def test_when_a_tracer_is_lean_then_it_tells_the_same_and_keeps_its_last_root() -> None:
    class Lean(LangChainTracer):
        pass

    Lean._persist_run = LangChainTracer._persist_run  # type: ignore[method-assign]
    make_lean(Lean)
    assert Lean._persist_run is not LangChainTracer._persist_run
    stock, kept = told(LangChainTracer)
    lean, last = told(Lean)
    assert stable(lean.created) == stable(stock.created)
    assert stable(lean.updated) == stable(stock.updated)
    names = ("name", "inputs", "outputs", "tags", "run_type", "child_runs")
    assert {name: getattr(last, name) for name in names} == {name: getattr(kept, name) for name in names}
    assert str(last.id) == str(lean.created[0]["id"])


@pytest.mark.parametrize("method", [None, lambda self, run: None])
def test_when_a_tracer_reads_otherwise_then_it_is_left_alone(method: Any) -> None:
    class Other:
        _persist_run = method

    make_lean(Other)
    assert Other.__dict__["_persist_run"] is method
