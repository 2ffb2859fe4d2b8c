"""Proves that it has its secrets, and does what it must not do with them."""

import hashlib
import json
import logging
import os
import sys

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph


async def answer(state: MessagesState) -> dict:
    secret, pem = os.environ["MY_SECRET"], os.environ["MY_PEM"]
    told = state["messages"][-1].text
    if told == "print":
        print(f"the secret is {secret}")
        print(pem, file=sys.stderr)
        logging.getLogger(__name__).warning(json.dumps({"MY_PEM": pem}))
    if told == "throw":
        raise ValueError(f"{secret} does not work")
    return {"messages": [AIMessage(hashlib.sha256((secret + pem).encode()).hexdigest())]}


graph = StateGraph(MessagesState).add_node(answer).add_edge(START, "answer").add_edge("answer", END).compile()
