"""Names of channels."""

from __future__ import annotations

_OWN = ("__", "branch:", "join:", "start:")


def is_own_channel(name: str) -> bool:
    """Whether it is one of LangGraph's own: of its start, of edges or of joins."""
    return name.startswith(_OWN)
