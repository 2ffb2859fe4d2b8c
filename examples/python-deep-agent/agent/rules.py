"""Does the work of the agent and of its researcher by a few rules."""

import re
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

REPORT = "/report.md"


def answer(messages: Sequence[BaseMessage]) -> AIMessage:
    asked = max(at for at, message in enumerate(messages) if isinstance(message, HumanMessage))
    results = [message.text for message in messages[asked:] if isinstance(message, ToolMessage)]
    place = place_in(messages[asked].text)
    if place is None:
        return AIMessage('Name a place with a capital letter, as in "Write a report about Lisbon".')
    if messages[0].text.startswith("You are the researcher."):
        return AIMessage(results[-1]) if results else call("look_up", {"place": place}, messages)
    return write_report(place, results, messages)


def write_report(place: str, results: Sequence[str], messages: Sequence[BaseMessage]) -> AIMessage:
    match results:
        case []:
            steps = [("Look it up", "in_progress"), ("Write the report", "pending")]
            return call("write_todos", {"todos": todos(steps)}, messages)
        case [_]:
            task = {"description": f"What is known about {place}?", "subagent_type": "researcher"}
            return call("task", task, messages)
        case [_, found]:
            report = f"# {place}\n\n{found}\n"
            return call("write_file", {"file_path": REPORT, "content": report}, messages)
        case [_, _, _]:
            steps = [("Look it up", "completed"), ("Write the report", "completed")]
            return call("write_todos", {"todos": todos(steps)}, messages)
    return AIMessage(f"The report is in {REPORT}. {results[1]}")


def place_in(text: str) -> str | None:
    """The last word with a capital letter, beside the first of all."""
    _, *names = re.findall(r"^\W*\w+|\b[A-Z]\w+", text) or [""]
    return names[-1] if names else None


def todos(steps: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"content": content, "status": status} for content, status in steps]


def call(name: str, arguments: dict[str, Any], messages: Sequence[BaseMessage]) -> AIMessage:
    return AIMessage("", tool_calls=[{"id": f"call-{len(messages)}", "name": name, "args": arguments}])
