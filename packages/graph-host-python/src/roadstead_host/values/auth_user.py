"""The caller, where the deployment has an `auth` of its own."""

from __future__ import annotations

from typing import Any


class AuthUser(dict[str, Any]):
    """
    All fields that the `auth` answered, as items and as attributes, like LangGraph's own server hands a user
    to graphs.
    """

    @property
    def identity(self) -> str:
        return str(self["identity"])

    @property
    def display_name(self) -> str:
        return str(self.get("display_name") or self.identity)

    @property
    def is_authenticated(self) -> bool:
        return bool(self.get("is_authenticated", True))

    @property
    def permissions(self) -> list[str]:
        return list(self.get("permissions") or ())

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None
