"""Bytes of states in a frame, as the user's own serializer writes and reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ..channel.frames import Buffer
from ..channel.json_text import Json
from .javascript_values import has_records, read_records


class Serde(Protocol):
    def dumps_typed(self, obj: Any) -> tuple[str, bytes]: ...

    def loads_typed(self, data: tuple[str, bytes]) -> Any: ...


class BlobWriter:
    """Collects the blobs of a frame."""

    def __init__(self, serde: Serde) -> None:
        self.blobs: list[bytes] = []
        self._serde = serde

    def write(self, value: Any) -> dict[str, Json]:
        """The typed place of the value in the list of blobs."""
        kind, data = self._serde.dumps_typed(value)
        # A bytearray is the user's, and may change before it is sent.
        self.blobs.append(data if isinstance(data, bytes) else bytes(data))
        return {"type": kind, "blob": len(self.blobs) - 1}


class BlobReader:
    """Reads values at their places in the blobs of an answer."""

    def __init__(self, serde: Serde, blobs: Sequence[Buffer]) -> None:
        self._serde = serde
        self._blobs = blobs

    def read(self, place: Mapping[str, Json]) -> Any:
        kind, blob = place["type"], self._blobs[place["blob"]]
        # Only msgpack is read from a view of the frame.
        if kind == "msgpack":
            return self._serde.loads_typed((kind, blob))  # type: ignore[arg-type]
        data = bytes(blob)
        if kind == "json" and has_records(data) and hasattr(self._serde, "_reviver"):
            return read_records(data, self._serde._reviver)
        return self._serde.loads_typed((kind, data))
