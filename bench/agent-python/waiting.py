import asyncio
import os
from collections.abc import AsyncIterator
from time import perf_counter
from typing import Any

# A deployment that is measured without tracing sets this variable.
if os.environ.get("BENCH_UNTRACED") == "1":
    os.environ["LANGSMITH_TRACING"] = "false"

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langgraph.graph import END, START, MessagesState, StateGraph

TOKENS = 40
WAIT_S = 2.0


class FarModel(BaseChatModel):
    """
    Answers as a model that is far away does: nothing is computed, and 40 tokens come over 2 s. The last one
    says by how many ms the event loop was late at most.
    """

    @property
    def _llm_type(self) -> str:
        return "far"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        raise NotImplementedError("It is only asked asynchronously.")

    async def _astream(
        self, messages: list[BaseMessage], *args: Any, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        began = perf_counter()
        late_s = 0.0
        for at in range(TOKENS):
            end = f"late={late_s * 1000:.1f} " if at == TOKENS - 1 else ""
            yield ChatGenerationChunk(message=AIMessageChunk(f"word{at} {end}"))
            pause_s = began + (at + 1) * WAIT_S / TOKENS - perf_counter()
            slept = perf_counter()
            await asyncio.sleep(max(0.0, pause_s))
            late_s = max(late_s, perf_counter() - slept - max(0.0, pause_s))


model = FarModel()


async def answer(state: MessagesState) -> dict:
    return {"messages": [await model.ainvoke(state["messages"])]}


graph = StateGraph(MessagesState).add_node(answer).add_edge(START, "answer").add_edge("answer", END).compile()
