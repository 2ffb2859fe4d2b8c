"""The checkpointer by which states are shown and changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from langgraph.checkpoint.base import CheckpointTuple

from ..channel.frames import Buffer
from ..channel.json_text import Json
from ..checkpoints.question_rules import without_answered
from ..checkpoints.saver import EngineSaver


class StateSaver(EngineSaver):
    """Leaves out the questions that have been answered: older versions of LangGraph show them as open."""

    def _loaded(
        self, stored: Mapping[str, Json], blobs: Sequence[Buffer], *, is_newest: bool
    ) -> CheckpointTuple:
        found = super()._loaded(stored, blobs, is_newest=is_newest)
        writes = without_answered(found.pending_writes or (), is_newest=is_newest)
        return found._replace(pending_writes=writes)
