"""The caller of a deployment that has an `auth` of its own, as handlers and graphs see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class KnownUser(dict[str, Any]):
    """Its fields are keys and attributes alike, as in the original."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"The user has no field {name!r}.") from None


def known_user(fields: Mapping[str, Any]) -> Any:
    """A member of the workspace is the SDK's `StudioUser`, by which handlers tell it from others."""
    if fields.get("kind") == "StudioUser":
        from langgraph_sdk.auth.types import StudioUser

        return StudioUser(fields["identity"], is_authenticated=True)
    identity = fields["identity"]
    return KnownUser({"display_name": identity, "is_authenticated": True, **fields})
