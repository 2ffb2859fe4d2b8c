"""Handles the checkpoints of threads where the deployment itself asks for it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import NoReturn


class ThreadUpkeep:
    """Deletes whole threads, and refuses in words what only the engine can do as a whole."""

    @abstractmethod
    def delete_thread(self, thread_id: str) -> None: ...

    @abstractmethod
    async def adelete_thread(self, thread_id: str) -> None: ...

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        _check_strategy(strategy)
        for thread_id in thread_ids:
            self.delete_thread(thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        _check_strategy(strategy)
        for thread_id in thread_ids:
            await self.adelete_thread(thread_id)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        _refuse_copy()

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        _refuse_copy()

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        _refuse_deletion()

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        _refuse_deletion()


def _check_strategy(strategy: str) -> None:
    if strategy == "keep_latest":
        raise NotImplementedError(
            "A graph can’t drop the older checkpoints of a thread. `checkpointer.ttl` of langgraph.json "
            "does, with the strategy `keep_latest`, and so does `client.threads.prune`."
        )
    if strategy != "delete":
        raise ValueError(
            f"There is no strategy {strategy!r} of pruning; there are `keep_latest` and `delete`."
        )


def _refuse_copy() -> NoReturn:
    raise NotImplementedError("A graph can’t copy a thread; `client.threads.copy` does.")


def _refuse_deletion() -> NoReturn:
    raise NotImplementedError(
        "A graph can’t delete what single runs wrote; a run that is cancelled with `rollback` takes it back."
    )
