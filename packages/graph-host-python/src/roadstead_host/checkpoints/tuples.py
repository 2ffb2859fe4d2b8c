"""Checkpoints as the engine sends them, and as LangGraph has them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import floor
from typing import Any, cast

from langgraph.checkpoint.base import WRITES_IDX_MAP, Checkpoint, CheckpointTuple

from ..channel.json_text import Json
from .checkpoint_keys import config_of
from .inline_values import split_values
from .javascript_tasks import JavascriptTasks
from .javascript_values import send_of
from .langgraph_checkpoint import HAS_SENDS_IN_A_CHANNEL, TASKS
from .typed_blobs import BlobReader, BlobWriter


def load_tuple(stored: Mapping[str, Json], reader: BlobReader, tasks: JavascriptTasks) -> CheckpointTuple:
    thread_id, checkpoint_ns = stored["thread_id"], stored["checkpoint_ns"]
    parent_id = stored["parent_checkpoint_id"]
    return CheckpointTuple(
        config=config_of(thread_id, checkpoint_ns, stored["checkpoint_id"]),
        checkpoint=_load_checkpoint(stored, reader),
        metadata=stored["metadata"],
        parent_config=None if parent_id is None else config_of(thread_id, checkpoint_ns, parent_id),
        pending_writes=tasks.writes(stored["writes"], lambda one: _written(one, reader)),
    )


def _load_checkpoint(stored: Mapping[str, Json], reader: BlobReader) -> Checkpoint:
    checkpoint: dict[str, Any] = {**stored["checkpoint"]}
    # Bytes take precedence: the checkpoint may hold a mark that there are some.
    values = dict(checkpoint.get("channel_values") or {})
    values.update((one["channel"], reader.read(one)) for one in stored["channels"])
    versions = dict(checkpoint.get("channel_versions") or {})
    sends = [send_of(reader.read(one)) for one in stored["pending_sends"]]
    if isinstance(values.get(TASKS), list):
        values[TASKS] = [send_of(one) for one in values[TASKS]]
    checkpoint["channel_values"] = values
    checkpoint["channel_versions"] = versions
    if not HAS_SENDS_IN_A_CHANNEL:
        checkpoint["pending_sends"] = sends
    elif sends:
        values[TASKS] = sends
        versions[TASKS] = max(versions.values()) if versions else first_version()
    return cast(Checkpoint, checkpoint)


def _written(place: Mapping[str, Json], reader: BlobReader) -> Any:
    value = reader.read(place)
    return send_of(value) if place["channel"] == TASKS else value


def dump_checkpoint(
    checkpoint: Mapping[str, Any], new_versions: Mapping[str, Any], writer: BlobWriter
) -> dict[str, Json]:
    """The checkpoint as JSON, and the channels whose values are beside it."""
    inline, beside = split_values(checkpoint["channel_values"])
    left_out = ("channel_values", "pending_sends")
    rest = {name: value for name, value in checkpoint.items() if name not in left_out}
    channels = [
        {"channel": channel, "version": str(version), **writer.write(beside[channel])}
        for channel, version in new_versions.items()
        if channel in beside
    ]
    return {"checkpoint": {**rest, "channel_values": inline}, "channels": channels}


def dump_writes(writes: Sequence[tuple[str, Any]], writer: BlobWriter) -> list[dict[str, Json]]:
    return [
        {"channel": channel, "idx": WRITES_IDX_MAP.get(channel, at), **writer.write(value)}
        for at, (channel, value) in enumerate(writes)
    ]


def plain_metadata(metadata: Mapping[str, Any]) -> dict[str, Json]:
    """Metadata as JSON: what is none of it becomes its text."""
    if all(map(_is_simple, metadata.values())) and all(type(name) is str for name in metadata):
        return dict(metadata)
    try:
        json.dumps(metadata, allow_nan=False)
    except (TypeError, ValueError):
        return {str(name): _plain(value) for name, value in metadata.items()}
    return dict(metadata)


def _is_simple(value: Any) -> bool:
    return value is None or type(value) in (str, int, bool) or (type(value) is dict and not value)


def _plain(value: Any) -> Json:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return str(value)
    return value


def next_version(current: Any, fraction: float) -> Any:
    """
    The versions of langgraph-checkpoint-postgres, which are ordered as texts. The fraction tells the branches
    of a thread apart, which count from the same checkpoint on. A thread that graphs in JavaScript began has
    numbers, and keeps to them: the two can't be compared.
    """
    if isinstance(current, int | float):
        return floor(current) + 1 + fraction
    count = 0 if current is None else int(str(current).split(".", maxsplit=1)[0])
    return f"{count + 1:032}.{fraction:016}"


def first_version() -> str:
    return str(next_version(None, 0))
