import re

from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.types import interrupt

from agent.rule_model import RuleModel
from agent.rules import answer


@tool
def refund(euros: int) -> str:
    """Refund an amount, once the person has agreed."""
    agreed = interrupt(f"Shall I refund {euros} euros? Answer yes or no.")
    if re.match(r"\s*(y|yes|ja|ok)\b", str(agreed), re.IGNORECASE) is None:
        return "I left it: nothing was refunded."
    return f"Done: {euros} euros are on their way."


graph = create_agent(RuleModel(answer=answer), [refund])
