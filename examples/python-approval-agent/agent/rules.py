"""Calls the tool with the amount that it reads, and repeats what the tool gave."""

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage


def answer(messages: Sequence[BaseMessage]) -> AIMessage:
    last = messages[-1]
    if isinstance(last, ToolMessage):
        return AIMessage(last.text)
    amount = re.search(r"\d+", last.text)
    call = {
        "id": f"call-{len(messages)}",
        "name": "refund",
        "args": {"euros": int(amount[0]) if amount else 10},
    }
    return AIMessage("", tool_calls=[call])
