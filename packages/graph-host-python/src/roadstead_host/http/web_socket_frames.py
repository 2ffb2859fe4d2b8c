"""Frames of a WebSocket as octets, on the side of the server (RFC 6455, section 5)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple


class Opcode(IntEnum):
    CONTINUATION = 0x0
    TEXT = 0x1
    BINARY = 0x2
    CLOSE = 0x8
    PING = 0x9
    PONG = 0xA


class CloseCode(IntEnum):
    NORMAL = 1000
    PROTOCOL_ERROR = 1002
    NO_CODE = 1005
    ABNORMAL = 1006
    INVALID_TEXT = 1007
    TOO_LARGE = 1009
    INTERNAL_ERROR = 1011
    RESTART = 1012


class WebSocketFault(Exception):
    """A mistake of the client that ends the WebSocket."""

    def __init__(self, code: CloseCode, message: str) -> None:
        super().__init__(message)
        self.code = code


class Message(NamedTuple):
    """A whole message, whose fragments are joined, or a frame that steers the connection."""

    opcode: int
    payload: bytes


# The most octets of a message: the default of servers that apps are used to.
MAX_MESSAGE = 16 * 1024 * 1024
_MAX_CONTROL = 125
_KNOWN = frozenset(Opcode)


class MessageReader:
    """Cuts octets, as they come, into messages."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        # The kind of the message whose fragments are coming.
        self._opcode: int | None = None
        self._fragments = bytearray()

    def feed(self, data: bytes) -> Iterator[Message]:
        self._bytes += data
        while (read := _read_frame(self._bytes)) is not None:
            is_last, opcode, payload, size = read
            del self._bytes[:size]
            message = self._join(is_last, opcode, payload)
            if message is not None:
                yield message

    def _join(self, is_last: bool, opcode: int, payload: bytes) -> Message | None:
        if opcode >= Opcode.CLOSE:
            return Message(opcode, payload)
        if (opcode == Opcode.CONTINUATION) != (self._opcode is not None):
            raise WebSocketFault(CloseCode.PROTOCOL_ERROR, "A message is interrupted, or never began.")
        if self._opcode is None and is_last:
            return Message(opcode, payload)
        if self._opcode is None:
            self._opcode = opcode
        self._fragments += payload
        if len(self._fragments) > MAX_MESSAGE:
            raise WebSocketFault(CloseCode.TOO_LARGE, "A message is too large.")
        if not is_last:
            return None
        message = Message(self._opcode, bytes(self._fragments))
        self._opcode = None
        self._fragments.clear()
        return message


def _read_frame(data: bytearray) -> tuple[bool, int, bytes, int] | None:
    """The first frame with its size; nothing while it is not whole."""
    if len(data) < 2:
        return None
    first, second = data[0], data[1]
    opcode, length = first & 0x0F, second & 0x7F
    if first & 0x70 or opcode not in _KNOWN:
        raise WebSocketFault(CloseCode.PROTOCOL_ERROR, "A frame is of a kind that nobody agreed on.")
    if not second & 0x80:
        raise WebSocketFault(CloseCode.PROTOCOL_ERROR, "A frame of a client is not masked.")
    if opcode >= Opcode.CLOSE and (length > _MAX_CONTROL or not first & 0x80):
        raise WebSocketFault(CloseCode.PROTOCOL_ERROR, "A frame that steers is too long, or has fragments.")
    at = 2
    if length >= 126:
        form = ">H" if length == 126 else ">Q"
        if len(data) < at + struct.calcsize(form):
            return None
        [length] = struct.unpack_from(form, data, at)
        at += struct.calcsize(form)
    if length > MAX_MESSAGE:
        raise WebSocketFault(CloseCode.TOO_LARGE, "A message is too large.")
    end = at + 4 + length
    if len(data) < end:
        return None
    return bool(first & 0x80), opcode, _unmasked(data[at + 4 : end], data[at : at + 4]), end


def _unmasked(payload: bytearray, mask: bytearray) -> bytes:
    if not payload:
        return b""
    repeated = (mask * (len(payload) // 4 + 1))[: len(payload)]
    return (int.from_bytes(payload) ^ int.from_bytes(repeated)).to_bytes(len(payload))


def written_frame(opcode: Opcode, payload: bytes) -> bytes:
    first = 0x80 | opcode
    if len(payload) < 126:
        head = struct.pack(">BB", first, len(payload))
    elif len(payload) < 1 << 16:
        head = struct.pack(">BBH", first, 126, len(payload))
    else:
        head = struct.pack(">BBQ", first, 127, len(payload))
    return head + payload


def written_close(code: int, reason: str) -> bytes:
    if code == CloseCode.NO_CODE:
        return written_frame(Opcode.CLOSE, b"")
    text = reason.encode()[: _MAX_CONTROL - 2].decode(errors="ignore").encode()
    return written_frame(Opcode.CLOSE, struct.pack(">H", code) + text)


def close_in(payload: bytes) -> tuple[int, str]:
    """The code and the reason of a close."""
    if not payload:
        return CloseCode.NO_CODE, ""
    code = int.from_bytes(payload[:2])
    is_known = 1000 <= code <= 1014 and code not in (1004, CloseCode.NO_CODE, CloseCode.ABNORMAL)
    if len(payload) < 2 or not (is_known or 3000 <= code < 5000):
        raise WebSocketFault(CloseCode.PROTOCOL_ERROR, "A close has a code that it may not have.")
    return code, text_in(payload[2:])


def text_in(payload: bytes) -> str:
    try:
        return payload.decode()
    except UnicodeDecodeError:
        raise WebSocketFault(CloseCode.INVALID_TEXT, "A text is not UTF-8.") from None
