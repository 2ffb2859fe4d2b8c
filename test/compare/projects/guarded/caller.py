"""Tells who calls: what the project's auth knows of a caller, as a node sees it."""

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    identity: str
    team: str
    permissions: list[str]
    header: str


async def tell(state: State, config: RunnableConfig) -> dict:
    configurable = config["configurable"]
    user = configurable["langgraph_auth_user"]
    return {
        "identity": user["identity"],
        "team": user["team"],
        "permissions": list(configurable["langgraph_auth_permissions"]),
        "header": configurable.get("x-team", "none"),
    }


graph = StateGraph(State).add_node("tell", tell).add_edge(START, "tell").add_edge("tell", END).compile()
