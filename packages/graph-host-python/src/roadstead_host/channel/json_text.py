"""JSON of what the protocol itself says."""

from __future__ import annotations

import json
from typing import Any

# A value that JSON can hold. `values` turns values of user code into such.
Json = Any

_compact = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_ascii = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def json_bytes(value: Json) -> bytes:
    """Compact JSON in UTF-8. Raises for what JSON has no place for, such as NaN."""
    try:
        return _compact.encode(value).encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair has no place in UTF-8, and one in JSON.
        return _ascii.encode(value).encode()
