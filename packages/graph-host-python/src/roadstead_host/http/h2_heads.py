"""Heads of requests and answers in HTTP/2, and the rules that they keep (RFC 9113, section 8; RFC 8441)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .hpack import Header

# Fields of one connection, which HTTP/2 does not know.
CONNECTION_FIELDS = frozenset(
    (b"connection", b"keep-alive", b"proxy-connection", b"transfer-encoding", b"upgrade")
)
_REQUEST_PSEUDO = frozenset((b":method", b":scheme", b":authority", b":path", b":protocol"))
_RESPONSE_PSEUDO = frozenset((b":status",))
_TOKEN = frozenset(b"!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz")
_NO_VALUE = (0x00, 0x0A, 0x0D)
_SPACES = b" \t"


class MalformedHead(Exception):
    """A head that breaks a rule of HTTP/2."""


@dataclass(frozen=True, slots=True)
class RequestHead:
    method: bytes
    scheme: bytes
    authority: bytes
    path: bytes
    # The protocol that a CONNECT asks for, such as `websocket`; empty for anything else.
    protocol: bytes
    headers: list[Header]


@dataclass(frozen=True, slots=True)
class ResponseHead:
    status: int
    headers: list[Header]


def request_head(headers: Sequence[Header]) -> RequestHead:
    pseudo, fields = _split(headers, _REQUEST_PSEUDO)
    method = pseudo.get(b":method", b"")
    protocol = pseudo.get(b":protocol", b"")
    if not method or (protocol and method != b"CONNECT"):
        raise MalformedHead("A request has no method, or a protocol without CONNECT.")
    if method == b"CONNECT" and not protocol:
        if b":scheme" in pseudo or b":path" in pseudo or not pseudo.get(b":authority"):
            raise MalformedHead("A CONNECT names other than a host.")
    elif not pseudo.get(b":scheme") or not pseudo.get(b":path"):
        raise MalformedHead("A request has no scheme or no path.")
    authority = pseudo.get(b":authority", b"")
    return RequestHead(
        method, pseudo.get(b":scheme", b""), authority, pseudo.get(b":path", b""), protocol, fields
    )


def response_head(headers: Sequence[Header]) -> ResponseHead:
    pseudo, fields = _split(headers, _RESPONSE_PSEUDO)
    status = pseudo.get(b":status", b"")
    if len(status) != 3 or not status.isdigit():
        raise MalformedHead("An answer has no status.")
    return ResponseHead(int(status), fields)


def trailers(headers: Sequence[Header]) -> list[Header]:
    return _split(headers, frozenset())[1]


def content_length(headers: Sequence[Header]) -> int | None:
    """The length of a body, where its head tells it."""
    lengths = {value for name, value in headers if name == b"content-length"}
    if not lengths:
        return None
    length = lengths.pop()
    if lengths or not length.isdigit():
        raise MalformedHead("A head tells several lengths, or one that is no number.")
    return int(length)


def _split(headers: Sequence[Header], known: frozenset[bytes]) -> tuple[dict[bytes, bytes], list[Header]]:
    pseudo: dict[bytes, bytes] = {}
    fields: list[Header] = []
    for name, value in headers:
        _check_value(value)
        if not name.startswith(b":"):
            _check_field(name, value)
            fields.append((name, value))
            continue
        if fields or name in pseudo or name not in known:
            raise MalformedHead("A head has a pseudo-field that is unknown, twice there, or after others.")
        pseudo[name] = value
    return pseudo, fields


def _check_field(name: bytes, value: bytes) -> None:
    if not name or not _TOKEN.issuperset(name):
        raise MalformedHead("A head has a field whose name is none.")
    if name in CONNECTION_FIELDS or (name == b"te" and value != b"trailers"):
        raise MalformedHead("A head has a field of HTTP/1.1 connections.")


def _check_value(value: bytes) -> None:
    if any(octet in value for octet in _NO_VALUE) or value.strip(_SPACES) != value:
        raise MalformedHead("A head has a field whose value is none.")
