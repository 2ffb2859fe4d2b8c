"""Streams the tokens of a model and words of its own; waits as long as it is asked to."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, MessagesState, StateGraph


class Parrot(BaseChatModel):
    """Says again what it is told, word by word."""

    @property
    def _llm_type(self) -> str:
        return "parrot"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(str(messages[-1].content)))])

    async def _astream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        for word in str(messages[-1].content).split():
            yield ChatGenerationChunk(message=AIMessageChunk(word + " "))


async def say(state: MessagesState) -> dict:
    write = get_stream_writer()
    write({"progress": "begins"})
    text = str(state["messages"][-1].content)
    if text.startswith("wait "):
        await asyncio.sleep(float(text.removeprefix("wait ")))
    answer = await Parrot().with_config(tags=["parrot"]).ainvoke(state["messages"])
    write({"progress": "ends"})
    return {"messages": [answer]}


async def close(state: MessagesState) -> dict:
    return {"messages": [AIMessage("That is all.")]}


graph = (
    StateGraph(MessagesState)
    .add_node("say", say)
    .add_node("close", close)
    .add_edge(START, "say")
    .add_edge("say", "close")
    .add_edge("close", END)
    .compile()
)
