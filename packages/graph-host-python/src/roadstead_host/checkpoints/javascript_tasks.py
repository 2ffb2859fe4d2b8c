"""
What tasks that graphs in JavaScript began have written, as what the same tasks of a graph in Python wrote.
LangGraph names a task by where it stands, in each language in another way: for each task of a step both names
are made.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID, uuid5

from langgraph.types import Interrupt

from ..channel.json_text import Json
from .langgraph_checkpoint import INTERRUPT

try:
    from xxhash import xxh3_128_hexdigest as _hash
except ImportError:
    # An older LangGraph, whose questions have no ids.
    _hash = None  # type: ignore[assignment]

_PULL, _PUSH = "__pregel_pull", "__pregel_push"
# How JavaScript writes questions. Python writes them as msgpack.
_JSON = "json"


class StepTask(Protocol):
    """A task as LangGraph shows it in a state."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def path(self) -> tuple[Any, ...]: ...


@dataclass(slots=True)
class JavascriptTasks:
    """Shared by a saver and its copies."""

    # The ids of questions in Python, by those in JavaScript.
    questions: dict[str, str] = field(default_factory=dict)
    # Whether a question was read that was asked in JavaScript.
    have_asked: bool = False
    # The tasks of the step in which a thread waits, by their ids in JavaScript.
    _known: dict[str, StepTask] = field(default_factory=dict)

    def learn(self, task: StepTask, triggers: Iterable[str], *, step: int, checkpoint_id: str) -> None:
        """From here on what it wrote in JavaScript is its own."""
        for words in _words_of(task, triggers, step):
            self._known[str(uuid5(UUID(checkpoint_id), words))] = task

    def writes(
        self, stored: Sequence[Mapping[str, Json]], read: Callable[[Mapping[str, Json]], Any]
    ) -> list[tuple[str, str, Any]]:
        """The writes of a checkpoint. What a task has written in Python, too, counts alone."""
        places = {(one["task_id"], one["channel"]) for one in stored}
        # A graph in Python asks again what is open; of a task that is known it is seen whether that has.
        is_asked_again = any(one["channel"] == INTERRUPT and one["type"] != _JSON for one in stored)
        writes: list[tuple[str, str, Any]] = []
        for one in stored:
            task_id, channel, value = one["task_id"], one["channel"], read(one)
            task = self._known.get(task_id)
            is_question = channel == INTERRUPT and one["type"] == _JSON
            if is_question:
                value = self._asked(value, task_id, task)
            is_written_again = task is not None and (task.id, channel) in places
            is_open_elsewhere = is_question and is_asked_again and task is None
            if not (is_written_again or is_open_elsewhere):
                writes.append((task_id if task is None else task.id, channel, value))
        return writes

    def _asked(self, value: Any, task_id: str, task: StepTask | None) -> Any:
        self.have_asked = True
        questions = value if isinstance(value, list) else [value]
        if not all(isinstance(one, dict) and "value" in one for one in questions):
            return value
        return [self._question(one, task_id, task) for one in questions]

    def _question(self, asked: Mapping[str, Any], task_id: str, task: StepTask | None) -> Interrupt:
        """Without an id where its task is not known, or where a subgraph asks."""
        if task is None or _hash is None:
            return Interrupt(asked["value"])
        theirs, ours = (_hash(f"{task.name}:{one}".encode()) for one in (task_id, task.id))
        if asked.get("id", theirs) != theirs:
            return Interrupt(asked["value"])
        self.questions[theirs] = ours
        try:
            return Interrupt(asked["value"], id=ours)
        except TypeError:
            # Before LangGraph 0.6.
            return Interrupt(asked["value"])


def _words_of(task: StepTask, triggers: Iterable[str], step: int) -> Iterator[str]:
    """The texts of which JavaScript may have made the task's id: by each edge that may have led to it."""
    kind, *place = task.path or ("",)
    ends: Iterable[Any] = ()
    if kind == _PULL:
        ends = ([one] for one in triggers)
    elif kind == _PUSH and place and isinstance(place[0], int):
        ends = (str(place[0]),)
    for end in ends:
        words = [task.name, str(step), task.name, kind, end]
        yield json.dumps(words, separators=(",", ":"), ensure_ascii=False)
