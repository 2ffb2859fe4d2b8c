"""Frames: `u32 total | u32 head | head (UTF-8 JSON) | blobs`, with lengths big-endian."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Any, TypeAlias

from .errors import MalformedFrameError
from .frame_limits import LARGE_HEAD_BYTES, check_blob_count, check_head_size
from .json_text import Json, json_bytes

# The largest frame: a state of this size is a mistake, and a length beyond it is garbage.
MAX_FRAME_BYTES = 64 * 1024 * 1024

Buffer: TypeAlias = bytes | bytearray | memoryview

_PREFIX = Struct(">II")
_SIZE = Struct(">I")
_BUFFER_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame as it came: its parsed head, and views into its bytes in the order of `blobs` of the head."""

    head: dict[str, Any]
    blobs: Sequence[memoryview]


@dataclass(frozen=True, slots=True)
class JsonBytes:
    """The `params` or `result` of a head, written as JSON already."""

    text: bytes


def encode_frame(
    head: Mapping[str, Json], member: tuple[str, Json], blobs: Sequence[Buffer] = ()
) -> list[Buffer]:
    """
    The pieces of one frame. `member` is the last of the head; the blobs are not copied. Raises a `ValueError`
    for what the engine would not read.
    """
    check_blob_count(len(blobs))
    name, value = member
    text = value.text if isinstance(value, JsonBytes) else json_bytes(value)
    lengths = [memoryview(blob).nbytes for blob in blobs]
    before = json_bytes({**head, "blobs": lengths} if lengths else head)[:-1]
    comma = b"," if len(before) > 1 else b""
    opening = b'%b%b"%b":' % (before, comma, name.encode())
    head_length = len(opening) + len(text) + 1
    size = _PREFIX.size + head_length + sum(lengths)
    if size > MAX_FRAME_BYTES:
        raise ValueError(f"A frame of {size} bytes is above the limit of {MAX_FRAME_BYTES}")
    if head_length > LARGE_HEAD_BYTES:
        check_head_size(b"".join((opening, text, b"}")))
    prefix = _PREFIX.pack(size - _SIZE.size, head_length)
    return [b"".join((prefix, opening, text, b"}")), *blobs]


def read_frames(receive_into: Callable[[memoryview], int]) -> Iterator[Frame]:
    """
    Frames from what comes in any pieces, until nothing more comes. `receive_into` fills a part of a buffer,
    and returns how much. A large frame is read into its own place.
    """
    buffer = bytearray(_BUFFER_BYTES)
    view = memoryview(buffer)
    held = 0
    while (count := receive_into(view[held:])) > 0:
        held += count
        at = 0
        while held - at >= _SIZE.size:
            size = _size_at(buffer, at)
            if size <= held - at:
                yield _frame_of(memoryview(bytes(view[at : at + size])))
                at += size
            elif size > _BUFFER_BYTES:
                large = _fill(view[at:held], size, receive_into)
                if large is None:
                    return
                yield _frame_of(large)
                at = held
            else:
                break
        buffer[: held - at] = buffer[at:held]
        held -= at


def _fill(begun: memoryview, size: int, receive_into: Callable[[memoryview], int]) -> memoryview | None:
    frame = memoryview(bytearray(size))
    frame[: len(begun)] = begun
    held = len(begun)
    while held < size:
        count = receive_into(frame[held:])
        if count == 0:
            return None
        held += count
    return frame.toreadonly()


def _size_at(buffer: bytearray, at: int) -> int:
    """The size of the frame that begins there, its prefix included."""
    size: int = _SIZE.unpack_from(buffer, at)[0] + _SIZE.size
    if size < _PREFIX.size or size > MAX_FRAME_BYTES:
        raise MalformedFrameError(f"a frame claims {size} bytes")
    return size


def _frame_of(frame: memoryview) -> Frame:
    end: int = _PREFIX.size + _PREFIX.unpack_from(frame)[1]
    if end > len(frame):
        raise MalformedFrameError("a head is longer than its frame")
    head = _head_of(frame[_PREFIX.size : end])
    return Frame(head, _blobs_of(frame[end:], head.get("blobs") or ()))


def _head_of(text: memoryview) -> dict[str, Any]:
    try:
        head = json.loads(str(text, "utf-8"))
    except (ValueError, RecursionError) as cause:
        raise MalformedFrameError("a head is not JSON that can be read") from cause
    if not _is_head(head):
        raise MalformedFrameError("a head is no question, message or answer")
    return head  # type: ignore[no-any-return]


def _is_head(head: Json) -> bool:
    if not isinstance(head, dict) or not _are_lengths(head.get("blobs")):
        return False
    if (re := head.get("re")) is not None:
        return _is_whole(re) and (head.get("error") is None or _is_error(head["error"]))
    return isinstance(head.get("method"), str) and (head.get("id") is None or _is_whole(head["id"]))


def _are_lengths(blobs: Json) -> bool:
    return blobs is None or (isinstance(blobs, list) and all(_is_whole(one) and one >= 0 for one in blobs))


def _is_whole(number: Json) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def _is_error(error: Json) -> bool:
    if not isinstance(error, dict):
        return False
    texts = (error.get("name"), error.get("message"), error.get("stack", ""), error.get("hint", ""))
    return all(isinstance(text, str) for text in texts)


def _blobs_of(rest: memoryview, lengths: Sequence[int]) -> list[memoryview]:
    blobs = []
    at = 0
    for length in lengths:
        blobs.append(rest[at : at + length])
        at += length
    if at != len(rest):
        raise MalformedFrameError("the blobs do not fill their frame")
    return blobs
