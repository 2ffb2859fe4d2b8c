"""Stands in for a chat model, and needs no key."""

import re
from collections.abc import Iterator
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.chat_models import generate_from_stream
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult


class EchoModel(BaseChatModel):
    """Repeats the last message, as the instruction asks for it."""

    @property
    def _llm_type(self) -> str:
        return "echo"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        return generate_from_stream(self._stream(messages))

    def _stream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> Iterator[ChatGenerationChunk]:
        instruction, *_, last = messages
        greeting, turn = re.findall(r"Greet with (.*)\. This is turn (\d+)\.", instruction.text)[0]
        for word in re.findall(r"\S+\s*", f'{greeting}! You said "{last.text}". That was turn {turn}.'):
            yield ChatGenerationChunk(message=AIMessageChunk(word))
