from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid5

import pytest

from roadstead_host.checkpoints.javascript_tasks import JavascriptTasks, _words_of

CHECKPOINT = "1f0a2c3e-0000-6000-8000-000000000001"
INTERRUPT = "__interrupt__"


@dataclass(frozen=True)
class Task:
    name: str
    id: str
    path: tuple[Any, ...]


LEFT, RIGHT = (Task(name, f"python-{name}", ("__pregel_pull", name)) for name in ("left", "right"))


def javascript_id(task: Task) -> str:
    return str(uuid5(UUID(CHECKPOINT), next(iter(_words_of(task, ["start"], 0)))))


def asked(task_id: str, kind: str) -> Mapping[str, Any]:
    return {"task_id": task_id, "channel": INTERRUPT, "type": kind, "value": [{"value": f"by {task_id}"}]}


def open_questions(stored: list[Mapping[str, Any]], known: tuple[Task, ...]) -> set[str]:
    tasks = JavascriptTasks()
    for task in known:
        tasks.learn(task, ["start"], step=0, checkpoint_id=CHECKPOINT)
    return {task_id for task_id, _, _ in tasks.writes(stored, lambda one: one["value"])}


THEIRS = [asked(javascript_id(task), "json") for task in (LEFT, RIGHT)]


@pytest.mark.parametrize(
    ("more", "known", "waiting"),
    [
        ([], (LEFT, RIGHT), {LEFT.id, RIGHT.id}),
        # The left one has not asked again yet: it waits all the same.
        ([asked(RIGHT.id, "msgpack")], (LEFT, RIGHT), {LEFT.id, RIGHT.id}),
        ([asked(LEFT.id, "msgpack"), asked(RIGHT.id, "msgpack")], (LEFT, RIGHT), {LEFT.id, RIGHT.id}),
        # Of a task that nobody knows it can't be seen: what was asked in Python stands for all.
        ([asked(RIGHT.id, "msgpack")], (), {RIGHT.id}),
    ],
)
def test_when_questions_were_asked_in_both_languages_then_each_task_waits_once(
    more: list[Mapping[str, Any]], known: tuple[Task, ...], waiting: set[str]
) -> None:
    assert open_questions([*THEIRS, *more], known) == waiting
