"""
A checkpointer over the engine: the user's own serializer writes the bytes, and the engine stores them in the
layout of langgraph-checkpoint-postgres.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from random import random
from typing import Any, Literal, TypeAlias

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)

from ..channel.frame_checks import host_messages
from ..channel.frames import Buffer, JsonBytes
from ..channel.json_text import Json
from ..channel.peer import Peer, Reply
from ..values.json import checked_bytes
from .checkpoint_keys import config_of, key_of
from .deltas import load_deltas, no_deltas, values_in
from .javascript_tasks import JavascriptTasks
from .pages import CheckpointPages
from .thread_upkeep import ThreadUpkeep
from .tuples import dump_checkpoint, dump_writes, load_tuple, next_version, plain_metadata
from .typed_blobs import BlobReader, BlobWriter, Serde

# Told what the thread held before the run: what a node returns again is not an answer.
OnLoaded: TypeAlias = Callable[[Mapping[str, Any]], None]

_Message: TypeAlias = tuple[dict[str, Json], Sequence[bytes]]


@dataclass(frozen=True, slots=True)
class SaverRun:
    """The run that a saver writes for. Without one every write is asked."""

    run_id: str
    attempt: int
    thread_id: str
    durability: Literal["sync", "async", "exit"]
    # Whether its thread has a checkpoint at all: without one, the first question need not be asked.
    has_checkpoint: bool
    # Kept in the metadata of each checkpoint that the run writes.
    metadata: Mapping[str, Any]


@dataclass(slots=True)
class _EmptyThread:
    """
    The thread that has nothing to ask for yet, if any. LangGraph copies savers, and all copies share this.
    """

    thread_id: str | None


class EngineSaver(ThreadUpkeep, BaseCheckpointSaver[str]):
    """
    Every method can be called from any thread, also from that of the event loop: another one reads answers.
    """

    def __init__(
        self, peer: Peer, serde: Serde, run: SaverRun | None = None, on_loaded: OnLoaded | None = None
    ) -> None:
        super().__init__(serde=serde)
        self._peer = peer
        self._run = run
        self._on_loaded = on_loaded
        self.javascript = JavascriptTasks()
        self._empty = _EmptyThread(None if run is None or run.has_checkpoint else run.thread_id)

    def get_next_version(self, current: Any, channel: Any = None) -> Any:
        return next_version(current, random())

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        key = key_of(config)
        if key.thread_id == self._empty.thread_id:
            return None
        reply = self._peer.ask("checkpoint.get", key.params()).result()
        return self._found(reply, is_newest=key.checkpoint_id is None)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        key = key_of(config)
        if key.thread_id == self._empty.thread_id:
            return None
        reply = await self._peer.ask_async("checkpoint.get", key.params())
        return self._found(reply, is_newest=key.checkpoint_id is None)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        if config is not None and _names_checkpoint(config):
            named = self.get_tuple(config)
            yield from [] if named is None else [named]
            return
        pages = CheckpointPages(config, filter=filter, before=before, limit=limit)
        while (query := pages.next_query()) is not None:
            yield from self._page(pages, self._peer.ask("checkpoint.list", query).result())

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        if config is not None and _names_checkpoint(config):
            named = await self.aget_tuple(config)
            if named is not None:
                yield named
            return
        pages = CheckpointPages(config, filter=filter, before=before, limit=limit)
        while (query := pages.next_query()) is not None:
            for one in self._page(pages, await self._peer.ask_async("checkpoint.list", query)):
                yield one

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        self._write("checkpoint.put", self._put_of(config, checkpoint, metadata, new_versions))
        return _written(config, checkpoint)

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        await self._awrite("checkpoint.put", self._put_of(config, checkpoint, metadata, new_versions))
        return _written(config, checkpoint)

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        self._write("checkpoint.put_writes", self._writes_of(config, writes, task_id, task_path))

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        await self._awrite("checkpoint.put_writes", self._writes_of(config, writes, task_id, task_path))

    def delete_thread(self, thread_id: str) -> None:
        self._peer.ask("checkpoint.delete_thread", {"thread_id": str(thread_id), **self._ref()}).result()

    async def adelete_thread(self, thread_id: str) -> None:
        await self._peer.ask_async("checkpoint.delete_thread", {"thread_id": str(thread_id), **self._ref()})

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, Any]:
        """In one question, where LangGraph's own way asks for each ancestor by itself."""
        key = key_of(config)
        if key.thread_id == self._empty.thread_id or not channels:
            return no_deltas(channels)
        query = {**key.params(), "channels": [*channels]}
        return self._histories(self._peer.ask("checkpoint.deltas", query).result())

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, Any]:
        key = key_of(config)
        if key.thread_id == self._empty.thread_id or not channels:
            return no_deltas(channels)
        query = {**key.params(), "channels": [*channels]}
        return self._histories(await self._peer.ask_async("checkpoint.deltas", query))

    def _loaded(
        self, stored: Mapping[str, Json], blobs: Sequence[Buffer], *, is_newest: bool
    ) -> CheckpointTuple:
        return load_tuple(stored, BlobReader(self.serde, blobs), self.javascript)

    def _found(self, reply: Reply, *, is_newest: bool) -> CheckpointTuple | None:
        if reply.result is None:
            return None
        found = self._loaded(reply.result, reply.blobs, is_newest=is_newest)
        if self._on_loaded is not None:
            self._on_loaded(found.checkpoint["channel_values"])
        return found

    def _page(self, pages: CheckpointPages, reply: Reply) -> Iterator[CheckpointTuple]:
        tuples = reply.result["tuples"]
        is_first = pages.is_first
        pages.take(reply.result)
        for at, one in enumerate(tuples):
            yield self._loaded(one, reply.blobs, is_newest=is_first and at == 0)

    def _histories(self, reply: Reply) -> Mapping[str, Any]:
        histories = load_deltas(reply.result["channels"], BlobReader(self.serde, reply.blobs))
        if self._on_loaded is not None:
            self._on_loaded(values_in(histories))
        return histories

    def _put_of(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> _Message:
        key = key_of(config)
        writer = BlobWriter(self.serde)
        said = {} if self._run is None else self._run.metadata
        params = {
            "thread_id": key.thread_id,
            "checkpoint_ns": key.checkpoint_ns,
            "checkpoint_id": checkpoint["id"],
            "parent_checkpoint_id": key.checkpoint_id,
            "metadata": plain_metadata({**said, **metadata}),
            **dump_checkpoint(checkpoint, new_versions, writer),
            **self._ref(),
        }
        return params, writer.blobs

    def _writes_of(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str
    ) -> _Message:
        key = key_of(config)
        if key.checkpoint_id is None:
            raise ValueError("Writes need `configurable.checkpoint_id`.")
        writer = BlobWriter(self.serde)
        params = {
            **key.params(),
            "task_id": task_id,
            **({"task_path": task_path} if task_path else {}),
            "writes": dump_writes(writes, writer),
            **self._ref(),
        }
        return params, writer.blobs

    def _write(self, method: str, message: _Message) -> None:
        self._empty.thread_id = None
        if self._is_acknowledged():
            self._peer.ask(method, *message).result()
        else:
            self._tell(method, message)

    async def _awrite(self, method: str, message: _Message) -> None:
        self._empty.thread_id = None
        if self._is_acknowledged():
            await self._peer.ask_async(method, *message)
        else:
            self._tell(method, message)

    def _tell(self, method: str, message: _Message) -> None:
        params, blobs = message
        host_messages.check(method, params, len(blobs))
        self._peer.tell(method, JsonBytes(checked_bytes(params)), blobs)

    def _is_acknowledged(self) -> bool:
        """Others are told in order, and `done` is committed with or after them."""
        return self._run is None or self._run.durability == "sync"

    def _ref(self) -> dict[str, Json]:
        return {} if self._run is None else {"run_id": self._run.run_id, "attempt": self._run.attempt}


# LangGraph asks for the signatures of these with each run.
for _method in (EngineSaver.put_writes, EngineSaver.aput_writes):
    setattr(_method, "__signature__", signature(_method))  # noqa: B010 -- functions have no such field


def _names_checkpoint(config: RunnableConfig) -> bool:
    return (config.get("configurable") or {}).get("checkpoint_id") is not None


def _written(config: RunnableConfig, checkpoint: Checkpoint) -> RunnableConfig:
    key = key_of(config)
    return config_of(key.thread_id, key.checkpoint_ns, checkpoint["id"])
