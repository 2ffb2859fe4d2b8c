"""Which of the questions that tasks asked are open, by what the tasks have written since. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from .langgraph_checkpoint import INTERRUPT

PendingWrites: TypeAlias = Sequence[tuple[str, str, Any]]

# LangGraph's own notes about a task. All other writes are those of a task that has run to its end.
_NOTES = frozenset((INTERRUPT, "__resume__", "__error__", "__error_source_node__", "__scheduled__"))


def without_answered(writes: PendingWrites, *, is_newest: bool) -> list[tuple[str, str, Any]]:
    """
    LangGraph keeps the question of a task that has been answered beside those that are open, as long as their
    step waits. A checkpoint that others follow shows what was asked there, once nothing of it is open any
    more.
    """
    gone = _gone_tasks(writes)
    is_any_open = any(channel == INTERRUPT and task_id not in gone for task_id, channel, _ in writes)
    if not is_any_open and not is_newest:
        return list(writes)
    return [one for one in writes if one[1] != INTERRUPT or one[0] not in gone]


def open_interrupts(writes: PendingWrites) -> list[Any]:
    """In the order in which their tasks stand."""
    gone = _gone_tasks(writes)
    asked = [value for task_id, channel, value in writes if channel == INTERRUPT and task_id not in gone]
    return [one for value in asked for one in (value if isinstance(value, (list, tuple)) else (value,))]


def _gone_tasks(writes: PendingWrites) -> set[str]:
    return {task_id for task_id, channel, _ in writes if channel not in _NOTES}
