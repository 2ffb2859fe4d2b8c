"""The caller of a deployment that has an `auth` of its own, as handlers and graphs see it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
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
    identity = fields["identity"]
    whole = {"display_name": identity, "is_authenticated": True, "permissions": [], **fields}
    return _member_type()(whole) if fields.get("kind") == "StudioUser" else KnownUser(whole)


@cache
def _member_type() -> type:
    from langgraph_sdk.auth.types import StudioUser

    class Member(StudioUser):
        def __init__(self, fields: Mapping[str, Any]) -> None:
            super().__init__(fields["identity"], is_authenticated=True)
            self._fields = fields

        def __getitem__(self, name: str) -> Any:
            return self._fields[name]

        def __contains__(self, name: object) -> bool:
            return name in self._fields

        def __iter__(self) -> Iterator[str]:
            return iter(self._fields)

        def keys(self) -> Any:
            return self._fields.keys()

        def get(self, name: str, default: Any = None) -> Any:
            return self._fields.get(name, default)

    return Member
