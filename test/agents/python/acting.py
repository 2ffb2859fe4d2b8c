"""
Reads the mail of the user whom it is told, with the user’s own token, for which it asks as langchain-auth does.
"""

import os

import httpx
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import interrupt

PROVIDER = "mail"
SCOPES = ["mail"]


async def read(state: MessagesState, config: RunnableConfig) -> dict:
    user_id = state["messages"][-1].text
    async with httpx.AsyncClient() as client:
        answer = await client.post(
            f"{os.environ['LANGSMITH_API_URL']}/v2/auth/authenticate",
            headers={"x-api-key": os.environ["LANGSMITH_API_KEY"]},
            json={
                "user_id": user_id,
                "provider": PROVIDER,
                "scopes": SCOPES,
                "agent_id": config["configurable"]["assistant_id"],
            },
        )
    answer.raise_for_status()
    said = answer.json()
    if said["status"] != "completed":
        interrupt(
            {
                "message": f"OAuth authentication required for provider '{PROVIDER}'.",
                "auth_url": said["url"],
                "provider": PROVIDER,
                "scopes": SCOPES,
            }
        )
    return {"messages": [AIMessage(f"mail of {user_id} by a token of {len(said['token'])} characters")]}


graph = StateGraph(MessagesState).add_node(read).add_edge(START, "read").add_edge("read", END).compile()
