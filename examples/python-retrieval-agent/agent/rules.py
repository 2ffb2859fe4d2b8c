"""Answers from the notes in the instruction."""

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage


def answer_from_notes(messages: Sequence[BaseMessage]) -> AIMessage:
    _, *notes = messages[0].text.split("\n")
    if not notes:
        return AIMessage('I have no note about that. Tell me with "Remember: …".')
    best, *others = notes
    also = f"\nSee also: {'; '.join(others)}" if others else ""
    return AIMessage(f"According to my notes: {best}{also}")
