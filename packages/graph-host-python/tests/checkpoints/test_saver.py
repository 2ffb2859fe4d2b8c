"""The saver over the engine, in graphs of the user's LangGraph."""

from __future__ import annotations

import asyncio
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, TypedDict
from uuid import uuid4

import pytest
from langchain_core.messages import AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.types import Send

from roadstead_host.channel.errors import HostCallError
from roadstead_host.checkpoints.saver import EngineSaver, SaverRun
from roadstead_host.checkpoints.serde import create_serde
from support.engine_double import EngineDouble


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    count: int
    half: float
    whole: float
    name: str


def answer(state: State) -> dict[str, Any]:
    count = len(state["messages"])
    return {"messages": [("ai", f"answer {count}")], "count": count, "half": 0.5, "whole": 2.0, "name": "n"}


async def answer_later(state: State) -> dict[str, Any]:
    await asyncio.sleep(0)
    return answer(state)


def graph_of(node: Any, saver: Any) -> Any:
    return StateGraph(State).add_node("answer", node).add_edge(START, "answer").compile(checkpointer=saver)


def saver_of(double: EngineDouble, run: SaverRun | None = None, **options: Any) -> EngineSaver:
    return EngineSaver(double.peer, create_serde(), run, **options)


def run_on(thread_id: str, **options: Any) -> SaverRun:
    defaults: dict[str, Any] = {"durability": "async", "has_checkpoint": True, "metadata": {"run_id": "r"}}
    return SaverRun("r", 1, thread_id, **{**defaults, **options})


def config_on(thread_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id}}


HELLO = {"messages": [HumanMessage("hello", id="h")]}


@pytest.mark.parametrize("node", [answer, answer_later])
def test_when_a_graph_runs_on_the_loop_then_its_state_is_kept(double: EngineDouble, node: Any) -> None:
    compiled, config = graph_of(node, saver_of(double)), config_on(str(uuid4()))

    async def turns() -> Any:
        await compiled.ainvoke(HELLO, config)
        await compiled.ainvoke(HELLO, config)
        return (await compiled.aget_state(config)).values

    values = asyncio.run(turns())
    assert [one.content for one in values["messages"]] == ["hello", "answer 1", "answer 2"]
    assert (values["count"], values["half"], values["name"]) == (2, 0.5, "n")
    assert isinstance(values["whole"], float)


def test_when_a_graph_runs_without_a_loop_then_its_state_is_kept(double: EngineDouble) -> None:
    compiled, config = graph_of(answer, saver_of(double)), config_on(str(uuid4()))
    compiled.invoke(HELLO, config)
    assert compiled.get_state(config).values["count"] == 1
    assert len(list(compiled.get_state_history(config))) == 3


def test_when_a_node_asks_the_saver_from_the_loop_then_nothing_waits_for_the_loop(
    double: EngineDouble,
) -> None:
    saver, config = saver_of(double), config_on(str(uuid4()))

    async def node(state: State) -> dict[str, Any]:
        found = saver.get_tuple(config)
        return {"name": "nothing" if found is None else found.config["configurable"]["thread_id"]}

    compiled = graph_of(node, saver)
    assert asyncio.run(compiled.ainvoke(HELLO, config))["name"] == config["configurable"]["thread_id"]


def test_when_values_are_primitive_then_they_are_in_the_checkpoint_itself(double: EngineDouble) -> None:
    config = config_on(str(uuid4()))
    graph_of(answer, saver_of(double)).invoke(HELLO, config)
    newest = double.checkpoints(config["configurable"]["thread_id"])[0]["checkpoint"]
    assert newest["channel_values"] == {"count": 1, "half": 0.5, "name": "n"}
    put = [one for one in double.params if "channels" in one][-1]
    assert {one["channel"] for one in put["channels"]} == {"messages", "whole"}


@pytest.mark.parametrize(
    ("durability", "word"), [("sync", "ask"), ("async", "tell"), ("exit", "tell")], ids=str
)
def test_when_a_run_writes_then_only_sync_waits_for_the_commit(
    double: EngineDouble, durability: Any, word: str
) -> None:
    thread_id = str(uuid4())
    saver = saver_of(double, run_on(thread_id, durability=durability, has_checkpoint=False))
    graph_of(answer, saver).invoke(HELLO, config_on(thread_id))
    # The engine hears what is told before it answers.
    saver.delete_thread("another")
    written = [one for one in double.heard if "put" in one]
    assert set(written) == {f"{word} checkpoint.put", f"{word} checkpoint.put_writes"}
    refs = [(one["run_id"], one["attempt"]) for one in double.params if "checkpoint_ns" in one]
    assert set(refs) == {("r", 1)}
    assert {one["metadata"]["run_id"] for one in double.checkpoints(thread_id)} == {"r"}


def test_when_a_commit_is_refused_then_who_waits_for_it_hears_it(double: EngineDouble) -> None:
    double.refused["checkpoint.put"] = "StaleAttempt"
    with pytest.raises(HostCallError) as raised:
        graph_of(answer, saver_of(double)).invoke(HELLO, config_on(str(uuid4())))
    assert raised.value.name == "StaleAttempt"


def test_when_a_thread_has_no_checkpoint_then_only_other_threads_are_asked_for(double: EngineDouble) -> None:
    saver = saver_of(double, run_on("new", has_checkpoint=False))
    assert saver.get_tuple(config_on("new")) is None
    assert double.heard == []
    assert saver.get_tuple(config_on("other")) is None
    assert double.heard == ["ask checkpoint.get"]


def test_when_a_copy_of_a_saver_wrote_then_the_saver_asks_for_it(double: EngineDouble) -> None:
    saver = saver_of(double, run_on("new", has_checkpoint=False))
    copied = saver.with_allowlist({("a", "B")}) if hasattr(saver, "with_allowlist") else saver
    graph_of(answer, copied).invoke(HELLO, config_on("new"))
    found = saver.get_tuple(config_on("new"))
    assert found is not None
    assert found.checkpoint["channel_values"]["count"] == 1


def test_when_a_checkpoint_is_loaded_then_the_run_is_told_what_it_held(double: EngineDouble) -> None:
    told: list[Mapping[str, Any]] = []
    config = config_on("t")
    compiled = graph_of(answer, saver_of(double, on_loaded=told.append))
    compiled.invoke(HELLO, config)
    compiled.invoke({"messages": []}, config)
    assert [one.content for one in told[-1]["messages"]] == ["hello", "answer 1"]


def test_when_many_checkpoints_are_listed_then_they_come_in_pages(double: EngineDouble) -> None:
    saver, config = saver_of(double), config_on("t")
    compiled = graph_of(answer, saver)
    for _ in range(20):
        compiled.invoke(HELLO, config)
    double.heard.clear()
    listed = list(saver.list(config))
    assert len(listed) == 60
    assert double.heard == ["ask checkpoint.list"] * 2
    assert [one.checkpoint["id"] for one in saver.list(config, limit=3)] == [
        one.checkpoint["id"] for one in listed[:3]
    ]
    assert list(saver.list(config, limit=0)) == []

    async def listed_later() -> list[str]:
        return [one.checkpoint["id"] async for one in saver.alist(config, before=listed[50].config)]

    assert asyncio.run(listed_later()) == [one.checkpoint["id"] for one in listed[51:]]
    assert [one.checkpoint["id"] for one in saver.list(listed[7].config)] == [listed[7].checkpoint["id"]]


class Fanned(TypedDict, total=False):
    seen: Annotated[list[str], operator.add]


def fan_out(state: Fanned) -> Sequence[Send]:
    return [Send("see", {"seen": [letter]}) for letter in "cab"]


def test_when_tasks_are_sent_then_a_later_run_finds_them(double: EngineDouble) -> None:
    def see(state: Fanned) -> Fanned:
        return {"seen": state["seen"]}

    def histories(saver: Any) -> list[Any]:
        compiled = (
            StateGraph(Fanned)
            .add_node("fan", lambda state: {})
            .add_node("see", see)
            .add_edge(START, "fan")
            .add_conditional_edges("fan", fan_out, ["see"])
            .add_edge("see", END)
            .compile(checkpointer=saver, interrupt_before=["see"])
        )
        config = config_on("t")
        compiled.invoke({"seen": []}, config)
        before = [task.name for task in compiled.get_state(config).tasks]
        compiled.invoke(None, config)
        return [before, compiled.get_state(config).values]

    ours = histories(saver_of(double))
    assert ours == histories(InMemorySaver())
    assert ours == [["see"] * 3, {"seen": ["c", "a", "b"]}]


def test_when_metadata_is_no_json_then_it_is_kept_as_text(double: EngineDouble) -> None:
    saver = saver_of(double, run_on("t", metadata={"when": operator.add, "n": float("nan"), "ok": 1}))
    graph_of(answer, saver).invoke(HELLO, config_on("t"))
    saver.delete_thread("another")
    metadata = double.checkpoints("t")[0]["metadata"]
    assert (metadata["n"], metadata["ok"]) == ("nan", 1)
    assert metadata["when"].startswith("<built-in function add")


def test_when_a_thread_is_to_be_pruned_then_it_is_deleted_or_refused_in_words(double: EngineDouble) -> None:
    saver, config = saver_of(double), config_on("t")
    graph_of(answer, saver).invoke(HELLO, config)
    refusals: list[Callable[[], Any]] = [
        lambda: saver.prune(["t"]),
        lambda: saver.copy_thread("t", "u"),
        lambda: saver.delete_for_runs(["r"]),
        lambda: asyncio.run(saver.aprune(["t"])),
        lambda: asyncio.run(saver.acopy_thread("t", "u")),
        lambda: asyncio.run(saver.adelete_for_runs(["r"])),
    ]
    for refused in refusals:
        with pytest.raises(NotImplementedError, match=r"^A graph can’t .*`"):
            refused()
    with pytest.raises(ValueError, match="no strategy 'all'"):
        saver.prune(["t"], strategy="all")
    assert saver.get_tuple(config) is not None
    saver.prune(["t"], strategy="delete")
    assert saver.get_tuple(config) is None


def test_when_a_task_asks_or_fails_then_its_note_has_a_place_of_its_own(double: EngineDouble) -> None:
    saver = saver_of(double)
    config: RunnableConfig = {"configurable": {"thread_id": "t", "checkpoint_id": "c"}}
    saver.put_writes(
        config, [("a", 1), ("__interrupt__", ["Who?"]), ("__error__", "x"), ("b", 2)], "task", "p"
    )
    (sent,) = double.params
    assert [(one["channel"], one["idx"]) for one in sent["writes"]] == [
        ("a", 0),
        ("__interrupt__", -3),
        ("__error__", -1),
        ("b", 3),
    ]
    assert (sent["task_id"], sent["task_path"]) == ("task", "p")


def test_when_a_configuration_names_no_thread_then_the_saver_says_so(double: EngineDouble) -> None:
    saver = saver_of(double)
    with pytest.raises(ValueError, match=r"configurable\.thread_id"):
        saver.get_tuple({"configurable": {}})
    with pytest.raises(ValueError, match=r"configurable\.checkpoint_id"):
        saver.put_writes(config_on("t"), [], "task")
