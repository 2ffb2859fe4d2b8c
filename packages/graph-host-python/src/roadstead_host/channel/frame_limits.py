"""How much a frame may hold. The engine reads no more, and ends a host that sends more."""

from __future__ import annotations

from itertools import accumulate

MAX_VALUES = 5_000_000
MAX_KEYS = 1_000_000
MAX_DEPTH = 640
MAX_KEY_BYTES = 1_048_576
MAX_BLOBS = 100_000

# A head that is longer is a large one, and counted.
LARGE_HEAD_BYTES = 262_144

_LEVELS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in _LEVELS)


def check_blob_count(blobs: int) -> None:
    if blobs > MAX_BLOBS:
        raise _beyond(f"more than {MAX_BLOBS} blobs")


def check_head_size(head: bytes) -> None:
    """Counts what a JSON text without spaces holds, as its reader does; raises beyond a limit."""
    # Escapes keep their length, since the lengths of keys count.
    parts = head.replace(rb"\\", b"__").replace(rb"\"", b"__").split(b'"')
    # A quote stands for each text.
    bare = b'"'.join(parts[::2])
    closed = bare.count(b"]") + bare.count(b"}") - bare.count(b"[]") - bare.count(b"{}")
    if 1 + bare.count(b",") + closed > MAX_VALUES:
        raise _beyond(f"more than {MAX_VALUES} values")
    if bare.count(b":") > MAX_KEYS:
        raise _beyond(f"more than {MAX_KEYS} keys")
    brackets = bare.translate(None, _NO_BRACKETS)
    if len(brackets) > MAX_DEPTH and max(accumulate(map(_LEVELS.__getitem__, brackets))) > MAX_DEPTH:
        raise _beyond(f"more than {MAX_DEPTH} levels")
    # The quote at its end counts, too.
    long = (at for at in range(1, len(parts), 2) if len(parts[at]) >= MAX_KEY_BYTES)
    if any(parts[at + 1].startswith(b":") for at in long):
        raise _beyond(f"a key of more than {MAX_KEY_BYTES} bytes")


def _beyond(what: str) -> ValueError:
    return ValueError(f"A frame with {what} is above the limit")
