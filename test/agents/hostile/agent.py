"""Does whatever it is told to: code after “run:” by itself, anything else by a shell. It answers what came of it."""

import subprocess

from langchain_core.messages import AIMessage
from langgraph.graph import END, START, MessagesState, StateGraph


def obey(state: MessagesState) -> dict:
    told = state["messages"][-1].text
    said = run(told.removeprefix("run:")) if told.startswith("run:") else shell(told)
    return {"messages": [AIMessage(f"{said}.")]}


def run(code: str) -> str:
    said: list[str] = []

    def say(value: object) -> None:
        said.append(f"{value}\n")

    try:
        exec(code, {"say": say})
    except Exception as error:
        say(f"{type(error).__name__}: {error}")
    return "".join(said)


def shell(command: str) -> str:
    try:
        done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, timeout=20)
    except subprocess.TimeoutExpired as late:
        return f"{late.stdout}{late.stderr}"
    return (done.stdout + done.stderr).decode("utf8", "replace")


graph = StateGraph(MessagesState).add_node(obey).add_edge(START, "obey").add_edge("obey", END).compile()
