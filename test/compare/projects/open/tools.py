"""An agent that calls tools, with a model of its own that needs no key."""

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition


@tool
def add(first: int, second: int) -> int:
    """Adds two numbers."""
    return first + second


@tool
def fail(reason: str) -> str:
    """Fails."""
    raise ValueError(reason)


class Calculator(BaseChatModel):
    """Asks for a tool once, and then tells what it answered."""

    @property
    def _llm_type(self) -> str:
        return "calculator"

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        last = messages[-1]
        if isinstance(last, ToolMessage):
            answer = AIMessage(f"It is {last.content}.", id=None)
        else:
            name, *words = str(last.content).split()
            arguments: dict[str, Any] = (
                {"first": int(words[0]), "second": int(words[1])}
                if name == "add"
                else {"reason": " ".join(words)}
            )
            answer = AIMessage(
                "", tool_calls=[{"id": "call-1", "name": name, "args": arguments, "type": "tool_call"}]
            )
        return ChatResult(generations=[ChatGeneration(message=answer)])


async def think(state: MessagesState) -> dict:
    return {"messages": [await Calculator().ainvoke(state["messages"])]}


graph = (
    StateGraph(MessagesState)
    .add_node("think", think)
    .add_node("tools", ToolNode([add, fail], handle_tool_errors=True))
    .add_edge(START, "think")
    .add_conditional_edges("think", tools_condition, ["tools", END])
    .add_edge("tools", "think")
    .compile()
)
