"""Channels that LangGraph stores as differences to their value in an earlier checkpoint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ..channel.json_text import Json
from .typed_blobs import BlobReader

# By channel, as LangGraph has them: `writes`, oldest first, and a `seed` unless the channel began empty.
DeltaHistories: TypeAlias = dict[str, dict[str, Any]]


def no_deltas(channels: Iterable[str]) -> DeltaHistories:
    return {channel: {"writes": []} for channel in channels}


def load_deltas(histories: Sequence[Mapping[str, Json]], reader: BlobReader) -> DeltaHistories:
    return {one["channel"]: _load(one, reader) for one in histories}


def _load(history: Mapping[str, Json], reader: BlobReader) -> dict[str, Any]:
    channel = history["channel"]
    writes = [(one["task_id"], channel, reader.read(one)) for one in history["writes"]]
    if "seed" not in history:
        return {"writes": writes}
    return {"writes": writes, "seed": reader.read(history["seed"])}


def values_in(histories: DeltaHistories) -> dict[str, list[Any]]:
    """All values that the channels held on the way, in no order."""
    return {channel: [*_values_in(history)] for channel, history in histories.items()}


def _values_in(history: Mapping[str, Any]) -> Iterator[Any]:
    whole = [getattr(seed, "value", seed) for seed in (history.get("seed"),) if seed is not None]
    for held in (*whole, *(value for _, _, value in history["writes"])):
        yield from held if isinstance(held, list) else (held,)


def deltas_of(checkpoint: Mapping[str, Any], metadata: Mapping[str, Any] | None) -> list[str]:
    """The channels of a checkpoint whose values may stand in those before it."""
    counted = (metadata or {}).get("counters_since_delta_snapshot") or {}
    return [
        channel
        for channel in counted
        if channel in checkpoint["channel_versions"] and channel not in checkpoint["channel_values"]
    ]


def stores_deltas(channels: Mapping[str, Any] | None) -> bool:
    """Whether a graph stores any channel so."""
    return any(type(channel).__name__ == "DeltaChannel" for channel in (channels or {}).values())
