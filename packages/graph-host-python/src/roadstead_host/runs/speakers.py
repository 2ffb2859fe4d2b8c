"""Who says what: which run of a model says which piece of a message."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from threading import Lock
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage

from .emitter import Event

_SILENCED = frozenset(("nostream", "langsmith:nostream"))
# Between the nodes that a place in a subgraph names.
_IN_SUBGRAPH = "|"


@cache
def leaves_out_inner() -> bool:
    """Whether LangGraph streams no pieces of subgraphs that nobody asked for: before 0.5 it does."""
    for name in ("langgraph.pregel._messages", "langgraph.pregel.messages"):
        try:
            handler = import_module(name).StreamMessagesHandler
        except (ImportError, AttributeError):
            continue
        return "subgraphs" in inspect.signature(handler.__init__).parameters
    return False


@dataclass(slots=True)
class _SpeakingRun:
    # Pieces that are on their way through LangGraph's stream.
    under_way: int = 0
    has_spoken: bool = False
    is_over: bool = False


class Speakers(BaseCallbackHandler):
    """
    One of LangChain's callback handlers, which stands before LangGraph's own. Several models may speak at
    once, and LangGraph's stream tells neither which of them says a piece nor when it has said all. Called
    from any thread.
    """

    # In step with the model: pieces are known before they come through the stream.
    run_inline = True

    def __init__(self, emit: Callable[[Sequence[Event]], object], *, subgraphs: bool) -> None:
        self._emit = emit
        self._subgraphs = subgraphs
        self._lock = Lock()
        self._speaking: dict[UUID, _SpeakingRun] = {}
        # By identity, with the message itself, so that no other gets its identity meanwhile.
        self._pieces: dict[int, tuple[BaseMessage, UUID]] = {}

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        # Pieces that are not streamed would be kept for the whole run.
        is_inner = _IN_SUBGRAPH in str((metadata or {}).get("langgraph_checkpoint_ns", ""))
        is_left_out = is_inner and not self._subgraphs and leaves_out_inner()
        if not _SILENCED.intersection(tags or ()) and not is_left_out:
            with self._lock:
                self._speaking[run_id] = _SpeakingRun()

    def on_llm_new_token(self, token: Any, *, chunk: Any = None, run_id: UUID, **kwargs: Any) -> None:
        message = getattr(chunk, "message", None)
        with self._lock:
            run = self._speaking.get(run_id)
            if run is not None and isinstance(message, BaseMessage):
                run.under_way += 1
                run.has_spoken = True
                self._pieces[id(message)] = (message, run_id)

    def on_llm_end(self, response: Any, *, run_id: UUID, **kwargs: Any) -> None:
        self._end(run_id)

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        self._end(run_id)

    def heard(self, message: Any) -> tuple[str | None, list[Event]]:
        """The speaker of a piece that LangGraph streamed, and what follows it."""
        with self._lock:
            _, run_id = self._pieces.pop(id(message), (None, None))
            run = None if run_id is None else self._speaking.get(run_id)
            if run_id is None or run is None:
                return None, []
            run.under_way -= 1
            return str(run_id), self._ended(run_id, run)

    def _end(self, run_id: UUID) -> None:
        with self._lock:
            run = self._speaking.get(run_id)
            if run is None:
                return
            run.is_over = True
            events = self._ended(run_id, run)
        if events:
            self._emit(events)

    def _ended(self, run_id: UUID, run: _SpeakingRun) -> list[Event]:
        if not run.is_over or run.under_way > 0:
            return []
        del self._speaking[run_id]
        return [{"kind": "said", "speaker": str(run_id)}] if run.has_spoken else []
