"""Frames of HTTP/2 as octets (RFC 9113, sections 4 and 6)."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import NamedTuple

from .h2_errors import ConnectionFault, ErrorCode

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEAD_BYTES = 9
# The most octets of a frame's content unless its receiver says that it takes more, which this side does not.
MAX_FRAME_BYTES = 16_384
LARGEST_FRAME_BYTES = (1 << 24) - 1
MAX_WINDOW = (1 << 31) - 1
DEFAULT_WINDOW = 65_535


class FrameType(IntEnum):
    DATA = 0x0
    HEADERS = 0x1
    PRIORITY = 0x2
    RST_STREAM = 0x3
    SETTINGS = 0x4
    PUSH_PROMISE = 0x5
    PING = 0x6
    GOAWAY = 0x7
    WINDOW_UPDATE = 0x8
    CONTINUATION = 0x9


class Setting(IntEnum):
    HEADER_TABLE_SIZE = 0x1
    ENABLE_PUSH = 0x2
    MAX_CONCURRENT_STREAMS = 0x3
    INITIAL_WINDOW_SIZE = 0x4
    MAX_FRAME_SIZE = 0x5
    MAX_HEADER_LIST_SIZE = 0x6
    ENABLE_CONNECT_PROTOCOL = 0x8


ACK = 0x1
END_STREAM = 0x1
END_HEADERS = 0x4
PADDED = 0x8
PRIORITY = 0x20


class Frame(NamedTuple):
    type: int
    flags: int
    stream_id: int
    payload: bytes


class FrameReader:
    """Cuts octets, as they come, into frames."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        self._bytes += data
        at = 0
        try:
            while len(self._bytes) - at >= HEAD_BYTES:
                high, low, kind, flags, stream_id = struct.unpack_from(">BHBBI", self._bytes, at)
                length = high << 16 | low
                if length > MAX_FRAME_BYTES:
                    raise ConnectionFault(ErrorCode.FRAME_SIZE_ERROR, "A frame is larger than allowed.")
                end = at + HEAD_BYTES + length
                if len(self._bytes) < end:
                    return
                payload = bytes(memoryview(self._bytes)[at + HEAD_BYTES : end])
                at = end
                yield Frame(kind, flags, stream_id & MAX_WINDOW, payload)
        finally:
            del self._bytes[:at]


def head_of_frame(kind: FrameType, flags: int, stream_id: int, length: int) -> bytes:
    return struct.pack(">BHBBI", length >> 16, length & 0xFFFF, kind, flags, stream_id)


def frame(kind: FrameType, flags: int, stream_id: int, payload: bytes = b"") -> bytes:
    return head_of_frame(kind, flags, stream_id, len(payload)) + payload


def headers_frames(stream_id: int, block: bytes, *, ends_stream: bool) -> bytes:
    """A header block as one frame, or as several that follow one another."""
    pieces = [block[at : at + MAX_FRAME_BYTES] for at in range(0, len(block), MAX_FRAME_BYTES)] or [b""]
    written = bytearray()
    for at, piece in enumerate(pieces):
        kind = FrameType.HEADERS if at == 0 else FrameType.CONTINUATION
        flags = END_STREAM if ends_stream and at == 0 else 0
        if at == len(pieces) - 1:
            flags |= END_HEADERS
        written += frame(kind, flags, stream_id, piece)
    return bytes(written)


def settings_frame(settings: Mapping[Setting, int]) -> bytes:
    payload = b"".join(struct.pack(">HI", name, value) for name, value in settings.items())
    return frame(FrameType.SETTINGS, 0, 0, payload)


def window_frame(stream_id: int, increment: int) -> bytes:
    return frame(FrameType.WINDOW_UPDATE, 0, stream_id, struct.pack(">I", increment))


def reset_frame(stream_id: int, code: int) -> bytes:
    return frame(FrameType.RST_STREAM, 0, stream_id, struct.pack(">I", code))


def goaway_frame(last_stream_id: int, code: int, message: str) -> bytes:
    return frame(FrameType.GOAWAY, 0, 0, struct.pack(">II", last_stream_id, code) + message.encode())


def content_of(one: Frame) -> bytes:
    """The content of DATA or HEADERS, without its padding."""
    if not one.flags & PADDED:
        return one.payload
    padding = one.payload[0] if one.payload else 0
    if padding >= len(one.payload):
        raise ConnectionFault(ErrorCode.PROTOCOL_ERROR, "The padding of a frame is longer than the frame.")
    return one.payload[1 : len(one.payload) - padding]


def block_of(one: Frame) -> bytes:
    """The header block, or its beginning, in HEADERS."""
    content = content_of(one)
    if not one.flags & PRIORITY:
        return content
    if len(content) < 5:
        raise ConnectionFault(ErrorCode.FRAME_SIZE_ERROR, "A frame of headers is shorter than its priority.")
    check_priority(one.stream_id, content)
    return content[5:]


def check_priority(stream_id: int, content: bytes) -> None:
    if int.from_bytes(content[:4]) & MAX_WINDOW == stream_id:
        raise ConnectionFault(ErrorCode.PROTOCOL_ERROR, "A stream depends on itself.")


def number_in(one: Frame) -> int:
    """The 32 bits of RST_STREAM or WINDOW_UPDATE."""
    if len(one.payload) != 4:
        raise ConnectionFault(ErrorCode.FRAME_SIZE_ERROR, "A frame of one number has not four octets.")
    return int.from_bytes(one.payload)


# The values that a setting may have, and the error that any other is.
_BOUNDS: Mapping[int, tuple[int, int, ErrorCode]] = {
    Setting.ENABLE_PUSH: (0, 1, ErrorCode.PROTOCOL_ERROR),
    Setting.INITIAL_WINDOW_SIZE: (0, MAX_WINDOW, ErrorCode.FLOW_CONTROL_ERROR),
    Setting.MAX_FRAME_SIZE: (MAX_FRAME_BYTES, LARGEST_FRAME_BYTES, ErrorCode.PROTOCOL_ERROR),
    Setting.ENABLE_CONNECT_PROTOCOL: (0, 1, ErrorCode.PROTOCOL_ERROR),
}


def settings_in(payload: bytes) -> dict[int, int]:
    if len(payload) % 6:
        raise ConnectionFault(ErrorCode.FRAME_SIZE_ERROR, "A frame of settings ends within one.")
    settings = dict(struct.iter_unpack(">HI", payload))
    for name, value in settings.items():
        least, most, code = _BOUNDS.get(name, (0, 1 << 32, ErrorCode.PROTOCOL_ERROR))
        if not least <= value <= most:
            raise ConnectionFault(code, f"The setting {name} has a value that it may not have.")
    return settings
