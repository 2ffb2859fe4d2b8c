"""The header fields of what an app sends, as HTTP/2 takes them."""

from __future__ import annotations

from .asgi_types import Event
from .h2_heads import CONNECTION_FIELDS
from .hpack import Header


def fields_of(event: Event) -> list[Header]:
    fields = [(bytes(name).lower(), bytes(value).strip()) for name, value in event.get("headers", ())]
    return [one for one in fields if one[0] not in CONNECTION_FIELDS and not one[0].startswith(b":")]
