"""Threads that wait in a step which a graph in JavaScript began."""

from __future__ import annotations

from typing import Any

from langgraph.checkpoint.base import CheckpointTuple

from ..checkpoints.javascript_tasks import JavascriptTasks
from ..checkpoints.saver import EngineSaver


async def newest_tuple(compiled: Any, saver: EngineSaver, config: Any) -> CheckpointTuple | None:
    """The newest checkpoint, with what its tasks have written, in either language."""
    saved = await saver.aget_tuple(config)
    if not saver.javascript.have_asked:
        return saved
    learn_tasks(compiled, await compiled.aget_state(config), saver.javascript)
    return await saver.aget_tuple(config)


def learn_tasks(compiled: Any, snapshot: Any, tasks: JavascriptTasks) -> None:
    checkpoint_id = (snapshot.config.get("configurable") or {}).get("checkpoint_id")
    if checkpoint_id is None:
        return
    step = (snapshot.metadata or {}).get("step", -1) + 1
    for task in snapshot.tasks:
        triggers = getattr(compiled.nodes.get(task.name), "triggers", ())
        tasks.learn(task, triggers, step=step, checkpoint_id=checkpoint_id)
