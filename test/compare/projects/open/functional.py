"""An entrypoint with tasks, which remembers what it returned."""

from langgraph.func import entrypoint, task
from langgraph.types import interrupt


@task
async def double(number: int) -> int:
    return 2 * number


@entrypoint()
async def counting(input: dict, *, previous: dict | None = None) -> dict:
    doubled = [await double(number) for number in input["numbers"]]
    if input.get("asks"):
        doubled.append(interrupt("Which number more?"))
    before = 0 if previous is None else previous["sum"]
    return {"doubled": doubled, "sum": before + sum(doubled)}
