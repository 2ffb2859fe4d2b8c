"""Plans by a few rules which tools to call."""

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

HELP = (
    "I can count days, calculate and tell the time. "
    'Ask "How many hours are there between 2028-02-01 and 2028-03-01?"'
)
PER_DAY = {"hour": 24, "minute": 24 * 60, "second": 24 * 60 * 60}
SIGNS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}


def answer(messages: Sequence[BaseMessage]) -> AIMessage:
    asked = max(at for at, message in enumerate(messages) if isinstance(message, HumanMessage))
    results = [message for message in messages[asked:] if isinstance(message, ToolMessage)]
    if results and results[-1].status == "error":
        return AIMessage(f"That did not work: {results[-1].text}")
    call = next_call(messages[asked].text, [result.text for result in results])
    if call is not None:
        name, arguments = call
        return AIMessage("", tool_calls=[{"id": f"call-{len(messages)}", "name": name, "args": arguments}])
    return AIMessage(f"The answer is {results[-1].text}." if results else HELP)


def next_call(question: str, results: list[str]) -> tuple[str, dict] | None:
    """The next call that leads to an answer; a later one takes what the one before it gave."""
    dates = re.findall(r"\d{4}-\d{2}-\d{2}", question)
    unit = re.search(r"\b(hour|minute|second)s?\b", question, re.IGNORECASE)
    if len(dates) > 1:
        if not results:
            return "days_between", {"start": dates[0], "end": dates[1]}
        if len(results) == 1 and unit is not None:
            return "calculate", {"operation": "multiply", "a": results[0], "b": PER_DAY[unit[1].lower()]}
        return None
    term = re.search(r"(-?[\d.]+)\s*([-+*/])\s*(-?[\d.]+)", question)
    zone = re.search(r"\b[A-Z]\w+/[A-Z]\w+\b", question)
    if results:
        return None
    if term is not None:
        return "calculate", {"operation": SIGNS[term[2]], "a": term[1], "b": term[3]}
    return None if zone is None else ("time_in", {"time_zone": zone[0]})
