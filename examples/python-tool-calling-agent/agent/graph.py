import os

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel

from agent.rule_model import RuleModel
from agent.rules import answer
from agent.tools import TOOLS


def choose_model() -> BaseChatModel:
    if not os.environ.get("OPENAI_API_KEY"):
        return RuleModel(answer=answer)
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(model=os.environ.get("OPENAI_MODEL", "gpt-4.1-mini"))


graph = create_agent(choose_model(), TOOLS)
