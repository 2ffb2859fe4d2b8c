"""Writes a sentence for each fact in the instruction."""

import re
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

FACT = re.compile(r"^(.+): (.+), (\d+) million people$", re.MULTILINE)


def write_note(messages: Sequence[BaseMessage]) -> AIMessage:
    facts = FACT.findall(messages[0].text)
    return AIMessage(
        " ".join(
            f"{name}, home of {people} million people, is governed from {capital}."
            for name, capital, people in facts
        )
    )
