"""How the engine names checkpoints, and how LangGraph's configurations do. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig

from ..channel.json_text import Json


@dataclass(frozen=True, slots=True)
class CheckpointKey:
    thread_id: str
    checkpoint_ns: str
    # The newest unless given.
    checkpoint_id: str | None

    def params(self) -> dict[str, Json]:
        place = {"thread_id": self.thread_id, "checkpoint_ns": self.checkpoint_ns}
        return place if self.checkpoint_id is None else {**place, "checkpoint_id": self.checkpoint_id}


def key_of(config: Mapping[str, Any]) -> CheckpointKey:
    configurable = config.get("configurable") or {}
    thread_id = configurable.get("thread_id")
    if thread_id is None:
        raise ValueError("A checkpointer needs `configurable.thread_id`.")
    checkpoint_id = configurable.get("checkpoint_id")
    return CheckpointKey(
        str(thread_id),
        configurable.get("checkpoint_ns") or "",
        None if checkpoint_id is None else str(checkpoint_id),
    )


def config_of(thread_id: str, checkpoint_ns: str, checkpoint_id: str) -> RunnableConfig:
    return {
        "configurable": {
            "thread_id": thread_id,
            "checkpoint_ns": checkpoint_ns,
            "checkpoint_id": checkpoint_id,
        }
    }
