"""The types of ASGI 3, as far as the host speaks it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Event = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Event]]
Send = Callable[[Event], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

# Told where something of the app's failed, and what it raised, or says of it.
Complain = Callable[[str, BaseException | str], None]

ASGI = {"version": "3.0", "spec_version": "2.4"}
