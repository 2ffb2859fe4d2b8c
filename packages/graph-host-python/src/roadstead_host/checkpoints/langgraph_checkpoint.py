"""The parts of langgraph-checkpoint that vary by version. Imported late: it is the user's own package."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from langgraph.checkpoint.serde import types

TASKS = "__pregel_tasks"
INTERRUPT = "__interrupt__"

# The class of a channel's whole value among its differences. Older versions store no differences.
DELTA_SNAPSHOT: type[Any] | tuple[()] = getattr(types, "_DeltaSnapshot", ())

# Since this version of checkpoints pending sends are the value of a channel; before it they are beside the
# channels.
_SENDS_IN_A_CHANNEL = 4
_FIRST = 1


def _checkpoint_version() -> int:
    """The version that the user's LangGraph writes. Its module has had two names."""
    for name in ("langgraph.pregel._checkpoint", "langgraph.pregel.checkpoint"):
        try:
            return int(import_module(name).LATEST_VERSION)
        except (ImportError, AttributeError):
            continue
    # The oldest have no such module yet, and none with internals.
    return _SENDS_IN_A_CHANNEL if find_spec("langgraph._internal") else _FIRST


HAS_SENDS_IN_A_CHANNEL = _checkpoint_version() >= _SENDS_IN_A_CHANNEL
