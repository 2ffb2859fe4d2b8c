"""The caller of a deployment that has an `auth` of its own, as its handlers see it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from ..values.auth_user import AuthUser


def known_user(fields: Mapping[str, Any]) -> Any:
    """A member of the workspace is the SDK's `StudioUser`, by which handlers tell it from others."""
    return (
        _member_type()(fields)
        if fields.get("kind") == "StudioUser"
        else AuthUser({"display_name": fields["identity"], "is_authenticated": True, **fields})
    )


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
