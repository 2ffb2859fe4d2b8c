import os

# A deployment that is measured without tracing sets this variable.
if os.environ.get("BENCH_UNTRACED") == "1":
    os.environ["LANGSMITH_TRACING"] = "false"

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph


async def answer(state: MessagesState) -> dict:
    """Repeats what it was told."""
    return {"messages": [AIMessage(f"echo: {state['messages'][-1].text}")]}


graph = StateGraph(MessagesState).add_node(answer).add_edge(START, "answer").add_edge("answer", END).compile()
