"""The errors of HTTP/2 (RFC 9113, section 7)."""

from __future__ import annotations

from enum import IntEnum


class ErrorCode(IntEnum):
    NO_ERROR = 0x0
    PROTOCOL_ERROR = 0x1
    INTERNAL_ERROR = 0x2
    FLOW_CONTROL_ERROR = 0x3
    SETTINGS_TIMEOUT = 0x4
    STREAM_CLOSED = 0x5
    FRAME_SIZE_ERROR = 0x6
    REFUSED_STREAM = 0x7
    CANCEL = 0x8
    COMPRESSION_ERROR = 0x9
    CONNECT_ERROR = 0xA
    ENHANCE_YOUR_CALM = 0xB


class ConnectionFault(Exception):
    """A mistake of the peer that ends the connection."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class CompressionError(ConnectionFault):
    def __init__(self, message: str) -> None:
        super().__init__(ErrorCode.COMPRESSION_ERROR, message)


class StreamFault(Exception):
    """A mistake of the peer that ends one stream."""

    def __init__(self, stream_id: int, code: ErrorCode, message: str) -> None:
        super().__init__(message)
        self.stream_id = stream_id
        self.code = code


class StreamEnded(ConnectionError):
    """The stream ended before all of it came or went: reset by either side, or with its connection."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
