"""Answers and commands of the LangGraph API, as LangGraph's own."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.types import Command, Interrupt, Send

from roadstead_host.graphs.resumption import CommandError, command_of, interrupt_id, resumption

IDS = ["0" * 32, "1" * 32]


class Asked:
    """An interrupt by its id alone."""

    def __init__(self, one: Any) -> None:
        self.id = one


def saved_with(*writes: Any) -> CheckpointTuple:
    return CheckpointTuple({}, {}, {}, None, list(writes))  # type: ignore[typeddict-item]


TWO = saved_with(
    ("a", "__interrupt__", [Asked(IDS[0])]),
    ("b", "__interrupt__", (Asked(IDS[1]),)),
    ("c", "__interrupt__", [Asked("2" * 32)]),
    ("c", "answer", "went on"),
)


@pytest.mark.parametrize(
    ("saved", "answer", "expected"),
    [
        (None, {"value": 1}, Command(resume=1)),
        (saved_with(), {"value": 1}, None),
        (TWO, {"value": 1}, Command(resume={IDS[0]: 1})),
        (TWO, {"value": None, "interrupt_id": IDS[1]}, Command(resume={IDS[1]: None})),
        (TWO, {"value": 1, "interrupt_id": "2" * 32}, Command(resume={IDS[0]: 1})),
        (saved_with(("a", "__interrupt__", [Asked("own")])), {"value": 1}, Command(resume=1)),
    ],
)
def test_when_a_question_is_answered_then_the_answer_goes_to_it(
    saved: Any, answer: Any, expected: Any
) -> None:
    assert resumption(saved, answer) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ({"resume": "yes"}, Command(resume="yes")),
        ({"resume": False}, Command(resume=False)),
        ({"resume": None}, Command(resume=dict.fromkeys(IDS))),
        ({"resume": {}}, Command(resume={IDS[0]: {}, IDS[1]: {}})),
        ({"update": {"a": 1}}, Command(update={"a": 1})),
        ({"update": [["a", 1], ["b", [2]]]}, Command(update=[("a", 1), ("b", [2])])),
        ({"goto": "one"}, Command(goto=["one"])),
        (
            {"goto": ["one", {"node": "two", "input": {"a": 1}}]},
            Command(goto=["one", Send("two", {"a": 1})]),
        ),
    ],
    ids=str,
)
def test_when_a_command_comes_as_json_then_it_is_langgraphs_own(command: Any, expected: Any) -> None:
    assert command_of(command, TWO) == expected


@pytest.mark.parametrize("goto", [5, {"input": {}}, {"node": 1}], ids=str)
def test_when_a_command_goes_nowhere_then_it_is_refused(goto: Any) -> None:
    with pytest.raises(CommandError, match="by its name"):
        command_of({"goto": goto})


def test_when_an_interrupt_has_an_id_of_any_kind_then_it_is_a_text() -> None:
    given: list[Any] = ["a", 3, None, True, []]
    assert [interrupt_id(Asked(one)) for one in given] == ["a", "3", None, None, None]
    assert isinstance(interrupt_id(Interrupt(value="Who?")), str)
