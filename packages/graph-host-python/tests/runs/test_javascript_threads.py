"""Questions that a graph in JavaScript has asked at once, answered in Python."""

from __future__ import annotations

import json
import operator
from typing import Annotated, Any, TypedDict
from uuid import UUID, uuid4, uuid5

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import Send, interrupt
from xxhash import xxh3_128_hexdigest

from support.engine_double import EngineDouble
from support.run_double import Runs, with_runs

CHECKPOINT = "1f0cc000-0000-6000-8000-000000000001"
STEP = 1
ANSWERED = ["left one", "noted in JavaScript", "right two"]


class Answers(TypedDict, total=False):
    answers: Annotated[list[str], operator.add]


def asking(name: str) -> Any:
    async def ask(_: Any) -> Any:
        return {"answers": [f"{name} {interrupt(name + '?')}"]}

    return ask


def note(_: Any) -> Any:
    return {"answers": ["noted in Python"]}


def branches() -> Any:
    graph: Any = StateGraph(Answers)
    graph.add_node("left", asking("left")).add_node("right", asking("right")).add_node("note", note)
    for name in ("left", "right", "note"):
        graph.add_edge(START, name)
    return graph.compile()


async def asked_of(given: Any) -> Any:
    return {"answers": [f"{given} {interrupt(given + '?')}"]}


def packets() -> Any:
    graph: Any = StateGraph(Answers)
    graph.add_node("ask", asked_of).add_node("note", note)
    edges = [Send("ask", "left"), Send("ask", "right"), Send("note", None)]
    return graph.add_conditional_edges(START, lambda _: edges).compile()


GRAPHS = {"branches": branches(), "packets": packets()}
# The tasks of the step as JavaScript names them, by what they ask or note.
TASKS: dict[str, dict[str, list[Any]]] = {
    "branches": {
        name: [name, str(STEP), name, "__pregel_pull", [f"branch:to:{name}"]]
        for name in ("left", "right", "note")
    },
    "packets": {
        name: [node, str(STEP), node, "__pregel_push", str(at)]
        for at, (node, name) in enumerate([("ask", "left"), ("ask", "right"), ("note", "note")])
    },
}


def task_id(words: list[Any]) -> str:
    return str(uuid5(UUID(CHECKPOINT), json.dumps(words, separators=(",", ":"))))


def question_id(words: list[Any]) -> str:
    return xxh3_128_hexdigest(f"{words[0]}:{task_id(words)}".encode())


def bytes_of(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def put_as_javascript(double: EngineDouble, shape: str, *, is_strange: bool = False) -> tuple[str, list[str]]:
    """A thread on which a step of JavaScript waits for two answers, and the ids of its questions."""
    thread_id = str(uuid4())
    if shape == "branches":
        values: dict[str, Any] = {f"branch:to:{name}": None for name in ("left", "right", "note")}
    else:
        values = {
            "__pregel_tasks": [
                {"lg_name": "Send", "node": node, "args": args}
                for node, args in (("ask", "left"), ("ask", "right"), ("note", None))
            ]
        }
    put = {
        "thread_id": thread_id,
        "checkpoint_ns": "",
        "checkpoint_id": CHECKPOINT,
        "parent_checkpoint_id": None,
        "checkpoint": {
            "v": 4,
            "id": CHECKPOINT,
            "ts": "2026-11-28T18:00:00.000Z",
            "channel_versions": {"__start__": 2.25, **dict.fromkeys(values, 2.5)},
            "versions_seen": {"__input__": {}, "__start__": {"__start__": 1.5}},
        },
        "metadata": {"source": "loop", "step": STEP - 1, "parents": {}},
        "channels": [
            {"channel": channel, "version": "2.5", "type": "json", "blob": at}
            for at, channel in enumerate(values)
        ],
    }
    double.peer.ask("checkpoint.put", put, [*map(bytes_of, values.values())]).result()
    ids = []
    for name, words in TASKS[shape].items():
        known = [*words[:3], "elsewhere", *words[4:]] if is_strange else words
        ids.append(question_id(known))
        channel, idx = ("answers", 0) if name == "note" else ("__interrupt__", -3)
        written: Any = (
            ["noted in JavaScript"] if name == "note" else [{"id": question_id(known), "value": f"{name}?"}]
        )
        writes = {
            "thread_id": thread_id,
            "checkpoint_ns": "",
            "checkpoint_id": CHECKPOINT,
            "task_id": task_id(known),
            "writes": [{"channel": channel, "idx": idx, "type": "json", "blob": 0}],
        }
        double.peer.ask("checkpoint.put_writes", writes, [bytes_of(written)]).result()
    return thread_id, ids[:2]


@pytest.mark.parametrize("shape", GRAPHS)
def test_when_questions_of_javascript_are_answered_by_their_ids_then_each_gets_its_answer(shape: str) -> None:
    async def work(runs: Runs) -> None:
        thread_id, (left, right) = put_as_javascript(runs.double, shape)
        command = {"resume": {left: "one", right: "two"}}
        end = await runs.run(shape, thread_id=thread_id, command=command, values=True)
        # What has ended in JavaScript is not done again.
        assert sorted(end.outcome["values"]["answers"]) == ANSWERED

    with_runs(GRAPHS, work)


@pytest.mark.parametrize("last", ["bare", "its former id", "its id", "over A2A"])
@pytest.mark.parametrize("shape", GRAPHS)
def test_when_one_question_of_javascript_is_answered_then_the_other_stays_open(shape: str, last: str) -> None:
    async def work(runs: Runs) -> None:
        thread_id, (left, right) = put_as_javascript(runs.double, shape)
        half = await runs.run(shape, thread_id=thread_id, command={"resume": {right: "two"}})
        [open_one] = half.outcome["interrupts"]
        assert open_one["value"] == "left?"
        answers: dict[str, dict[str, Any]] = {
            "bare": {"command": {"resume": "one"}},
            "its former id": {"command": {"resume": {left: "one"}}},
            "its id": {"command": {"resume": {open_one["id"]: "one"}}},
            "over A2A": {"resume": {"value": "one", "interrupt_id": left}},
        }
        end = await runs.run(shape, thread_id=thread_id, values=True, **answers[last])
        assert sorted(end.outcome["values"]["answers"]) == ANSWERED

    with_runs(GRAPHS, work)


def test_when_a_question_is_answered_over_a2a_then_it_is_the_one_that_was_meant() -> None:
    async def work(runs: Runs) -> None:
        thread_id, (_, right) = put_as_javascript(runs.double, "branches")
        half = await runs.run("branches", thread_id=thread_id, resume={"value": "two", "interrupt_id": right})
        assert [one["value"] for one in half.outcome["interrupts"]] == ["left?"]

    with_runs(GRAPHS, work)


@pytest.mark.parametrize(
    "answer",
    [
        {"command": {"resume": "one"}},
        {"command": {"resume": {"0" * 32: "one"}}},
        {"resume": {"value": "one"}},
        {"resume": {"value": "one", "interrupt_id": "0" * 32}},
    ],
    ids=str,
)
def test_when_nobody_knows_which_question_is_answered_then_it_is_refused_in_words(answer: Any) -> None:
    async def work(runs: Runs) -> None:
        thread_id, _ = put_as_javascript(runs.double, "branches", is_strange=True)
        error = (await runs.run("branches", thread_id=thread_id, **answer)).outcome["error"]
        assert error["rejected"] is True
        assert "were asked by a graph in JavaScript" in error["message"]

    with_runs(GRAPHS, work)
