"""Answers and commands of the LangGraph API, as LangGraph's own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from langgraph.checkpoint.base import CheckpointTuple
from langgraph.types import Command, Send

from ..channel.json_text import Json
from ..checkpoints.javascript_tasks import JavascriptTasks
from ..checkpoints.question_rules import open_interrupts

# LangGraph's ids of interrupts; others it would not recognise as ids.
_HASH = re.compile(r"[0-9a-f]{32}")


class CommandError(ValueError):
    """A command that can't be made. The message is a sentence."""


class QuestionLanguageError(CommandError):
    """An answer to questions of JavaScript whose tasks are not known here."""

    # So its reason reaches the caller, like that of a graph that rejects its input.
    a2a = "reject"

    def __init__(self) -> None:
        super().__init__(
            "The open questions of this thread were asked by a graph in JavaScript, and the agent is now one "
            "in Python, which can’t tell which of them this answers. Begin a new thread, or roll the "
            "deployment back to a revision in JavaScript."
        )


def resumption(
    saved: CheckpointTuple | None, answer: Mapping[str, Json], tasks: JavascriptTasks | None = None
) -> Command[Any] | None:
    """
    The input that answers an open interrupt. LangGraph takes a bare value for all open interrupts, so it goes
    by the interrupt's id. A thread that stopped before or after a node by compilation has no interrupt: it
    goes on without an input.
    """
    value = answer.get("value")
    if saved is None:
        return Command(resume=value)
    asked = open_interrupts(saved.pending_writes or ())
    if not asked:
        return None
    # Before LangGraph 0.6 an answer by its id is also that of the questions that the task has asked before.
    if len(asked) == 1 and not hasattr(asked[0], "id") and value:
        return Command(resume=value)
    ids = _ids_of(asked)
    wanted: Any = answer.get("interrupt_id")
    if tasks is not None:
        wanted = tasks.questions.get(wanted, wanted)
        if wanted not in ids and _are_strange(asked, ids, tasks):
            raise QuestionLanguageError
    chosen = wanted if wanted in ids else next(iter(ids), None)
    return Command(resume=value if chosen is None else {chosen: value})


def command_of(
    command: Mapping[str, Json], saved: CheckpointTuple | None = None, tasks: JavascriptTasks | None = None
) -> Command[Any]:
    """An answer that LangGraph would take for none goes to each open interrupt."""
    options: dict[str, Any] = {}
    if "resume" in command:
        options["resume"] = _answer_of(command["resume"], saved, tasks)
    if command.get("update") is not None:
        options["update"] = _update_of(command["update"])
    goto = command.get("goto")
    if goto is not None:
        options["goto"] = [_goal_of(goal) for goal in (goto if isinstance(goto, list) else [goto])]
    return Command(**options)


def _answer_of(resume: Json, saved: CheckpointTuple | None, tasks: JavascriptTasks | None) -> Json:
    asked = open_interrupts((saved.pending_writes if saved else None) or ())
    ids = _ids_of(asked)
    if resume is None or resume == {}:
        return dict.fromkeys(ids, resume) if ids else resume
    if tasks is None or not tasks.have_asked:
        return resume
    is_by_ids = isinstance(resume, dict) and all(map(_HASH.fullmatch, resume))
    named = {tasks.questions.get(one, one): value for one, value in resume.items()} if is_by_ids else {}
    if is_by_ids and (len(ids) == len(asked) or named.keys() <= {*ids}):
        return named
    if _are_strange(asked, ids, tasks):
        raise QuestionLanguageError
    return next(iter(named.values())) if len(named) == 1 else resume


def _are_strange(asked: list[Any], ids: list[str], tasks: JavascriptTasks) -> bool:
    """Whether several questions are open, some of which JavaScript asked by ids that are not known here."""
    return tasks.have_asked and len(asked) > max(1, len(ids))


def _update_of(update: Json) -> Any:
    """JSON has lists only, and LangGraph takes pairs for writes."""
    if isinstance(update, list) and all(_is_pair(one) for one in update):
        return [tuple(one) for one in update]
    return update


def _is_pair(one: Json) -> bool:
    return isinstance(one, list) and len(one) == 2 and isinstance(one[0], str)


def _goal_of(goal: Json) -> Any:
    """A node's name, or a node with an input of its own."""
    if isinstance(goal, str):
        return goal
    if not isinstance(goal, dict) or not isinstance(goal.get("node"), str):
        raise CommandError("A command goes to a node by its name, or by an object with `node` and `input`.")
    return Send(goal["node"], goal.get("input"))


def interrupt_id(interrupt: Any) -> str | None:
    """Graphs may raise questions with ids of their own: what is no word is none."""
    given = getattr(interrupt, "id", None)
    # Before LangGraph 0.6.
    given = getattr(interrupt, "interrupt_id", None) if given is None else given
    if isinstance(given, int) and not isinstance(given, bool):
        return str(given)
    return given if isinstance(given, str) else None


def _ids_of(interrupts: list[Any]) -> list[str]:
    ids = (interrupt_id(one) for one in interrupts)
    return [one for one in ids if one is not None and _HASH.fullmatch(one)]
