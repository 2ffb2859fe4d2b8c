import os

from deepagents import create_deep_agent
from langchain.agents.middleware import TodoListMiddleware
from langchain_core.language_models import BaseChatModel
from langchain_core.tools import tool

from agent.rule_model import RuleModel
from agent.rules import answer

PLACES = {
    "Lisbon": "Lisbon lies on seven hills above the Tagus.",
    "Oslo": "Oslo lies at the head of a fjord.",
    "Tokyo": "Tokyo was called Edo until 1868.",
}


@tool
def look_up(place: str) -> str:
    """Look up what is known about a place."""
    return PLACES.get(place, f"Nothing is known about {place}.")


def choose_model() -> BaseChatModel:
    if not os.environ.get("OPENAI_API_KEY"):
        return RuleModel(answer=answer)
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(model=os.environ.get("OPENAI_MODEL", "gpt-4.1-mini"))


graph = create_deep_agent(
    model=choose_model(),
    system_prompt="Plan, have the researcher look things up, write /report.md, and answer with it.",
    middleware=[TodoListMiddleware()],
    subagents=[
        {
            "name": "researcher",
            "description": "Looks up what is known about a place.",
            "system_prompt": "You are the researcher. Answer with what the tool look_up gives.",
            "tools": [look_up],
        }
    ],
)
