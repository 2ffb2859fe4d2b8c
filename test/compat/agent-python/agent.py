"""Written for every version since 0.2.76."""

import operator
from typing import Annotated

from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.config import get_store
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import Send, interrupt


def say(text):
    return {"messages": [AIMessage(text)]}


def said(state):
    return [message for message in state["messages"] if message.type == "human"]


def graph_of(node, **options):
    """One node, from start to end."""
    builder = StateGraph(MessagesState).add_node("node", node).add_edge(START, "node").add_edge("node", END)
    return builder.compile(**options)


agent = graph_of(lambda state: say(f"{len(said(state))}: {said(state)[-1].content}"))
ask = graph_of(lambda _: say(f"Hello, {interrupt('What is your name?')}!"))


async def note(state):
    store = get_store()
    await store.aput(("notes",), "note", {"text": said(state)[-1].content})
    found = await store.aget(("notes",), "note")
    return say(found.value["text"])


notes = graph_of(note)


class Places(MessagesState):
    seen: Annotated[list[str], operator.add]


# Stops with its tasks pending, so that they are read from the checkpoint.
fan = (
    StateGraph(Places)
    .add_node("begin", lambda _: {})
    .add_node("visit", lambda task: {"seen": [task["place"]]})
    .add_node("tell", lambda state: say(", ".join(state["seen"])))
    .add_edge(START, "begin")
    .add_conditional_edges("begin", lambda _: [Send("visit", {"place": one}) for one in ("Cork", "Brest")])
    .add_edge("visit", "tell")
    .add_edge("tell", END)
    .compile(interrupt_before=["visit"])
)

stream = graph_of(lambda state: {"messages": [FakeListChatModel(responses=["ahoy"]).invoke(state["messages"])]})


@tool
def tide_in(place: str) -> str:
    """Tell the tide of a place."""
    return f"high tide in {place}"


class Pilot(BaseChatModel):
    """Calls the tool, and repeats what it answered."""

    @property
    def _llm_type(self):
        return "pilot"

    def _generate(self, messages, stop=None, run_manager=None, **_):
        last = messages[-1]
        call = {"name": "tide_in", "args": {"place": last.content}, "id": "call-1"}
        said = AIMessage(last.content) if last.type == "tool" else AIMessage("", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=said)])


tools = (
    StateGraph(MessagesState)
    .add_node("model", lambda state: {"messages": [Pilot().invoke(state["messages"])]})
    .add_node("tools", ToolNode([tide_in]))
    .add_edge(START, "model")
    .add_conditional_edges("model", tools_condition)
    .add_edge("tools", "model")
    .compile()
)
