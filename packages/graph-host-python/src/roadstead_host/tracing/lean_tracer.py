"""Makes less of what LangChain's own tracer does at the end of each trace. What is sent stays the same."""

from __future__ import annotations

from typing import Any

# The names in the method's code where it does the same as this one, since LangChain's core 1.0.
_KNOWN = ("run_to_dict", "run_construct", "inputs", "outputs", "latest_run")


def make_lean(tracer: Any) -> None:
    """
    The tracer keeps its last root without children. It makes that of nothing, for which pydantic looks up the
    signatures of a dozen functions each time, and is given a shallow copy. A class that reads otherwise is
    left alone.
    """
    method = getattr(tracer, "_persist_run", None)
    if method is None or method.__code__.co_names != _KNOWN:
        return

    def persist_run(self: Any, run: Any) -> None:
        self.latest_run = run.model_copy(update={"child_runs": []})

    tracer._persist_run = persist_run
