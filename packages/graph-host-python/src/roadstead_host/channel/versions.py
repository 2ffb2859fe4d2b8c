"""The versions of the host protocol that this host speaks."""

from __future__ import annotations

from collections.abc import Sequence

PROTOCOL_VERSIONS = (1,)

# A side that names no versions speaks this one.
_UNSAID = (1,)


class NoSharedVersionError(Exception):
    """Two sides that share no version: nothing else that they say to each other can be read."""


def check_shared_version(engine: Sequence[int] | None, ours: Sequence[int] = PROTOCOL_VERSIONS) -> int:
    """
    The newest version that both sides speak; raises a sentence that names both lists where there is none.
    """
    theirs = _UNSAID if engine is None else engine
    shared = [version for version in ours if version in theirs]
    if not shared:
        raise NoSharedVersionError(
            f"The graph host speaks {_named(ours)} of the host protocol, and this engine {_named(theirs)}."
        )
    return max(shared)


def _named(versions: Sequence[int]) -> str:
    return f"version {', '.join(map(str, versions))}" if versions else "no version"
