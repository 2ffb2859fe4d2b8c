"""Compressed headers of HTTP/2 (RFC 7541)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from .h2_errors import CompressionError
from .huffman import decode_huffman

Header = tuple[bytes, bytes]

_STATIC: tuple[Header, ...] = tuple(
    (name.encode(), value.encode())
    for name, _, value in (
        line.partition(" ")
        for line in """\
:authority
:method GET
:method POST
:path /
:path /index.html
:scheme http
:scheme https
:status 200
:status 204
:status 206
:status 304
:status 400
:status 404
:status 500
accept-charset
accept-encoding gzip, deflate
accept-language
accept-ranges
accept
access-control-allow-origin
age
allow
authorization
cache-control
content-disposition
content-encoding
content-language
content-length
content-location
content-range
content-type
cookie
date
etag
expect
expires
from
host
if-match
if-modified-since
if-none-match
if-range
if-unmodified-since
last-modified
link
location
max-forwards
proxy-authenticate
proxy-authorization
range
referer
refresh
retry-after
server
set-cookie
strict-transport-security
transfer-encoding
user-agent
vary
via
www-authenticate""".splitlines()
    )
)
_STATIC_PAIRS = {header: at for at, header in reversed(list(enumerate(_STATIC, 1)))}
_STATIC_NAMES = {name: at for at, (name, _) in reversed(list(enumerate(_STATIC, 1)))}

# The most octets of a dynamic table; each header counts 32 octets beside its own.
TABLE_SIZE = 4096
_HEADER_COST = 32
# Larger numbers are no sizes that anybody sends.
_MAX_INTEGER = 1 << 32
# Tables of proxies must not keep what these hold.
_SECRET = frozenset((b"authorization", b"cookie", b"proxy-authorization", b"set-cookie", b"x-api-key"))


def cost_of(header: Header) -> int:
    name, value = header
    return len(name) + len(value) + _HEADER_COST


class HeaderList(NamedTuple):
    headers: list[Header]
    # Whether some were left out, since all together were above the limit.
    is_cut: bool


class Decoder:
    """Reads header blocks, in the order in which they come."""

    def __init__(self, max_table_size: int = TABLE_SIZE) -> None:
        self._max_table_size = max_table_size
        self._capacity = max_table_size
        self._size = 0
        self._table: deque[Header] = deque()

    def decode(self, block: bytes, max_list_size: int) -> HeaderList:
        headers: list[Header] = []
        size = at = 0
        while at < len(block):
            first = block[at]
            if first & 0xE0 == 0x20:
                if headers or size:
                    raise CompressionError("A header block changes the size of its table after a header.")
                capacity, at = _integer(block, at, 5)
                self._resize(capacity)
                continue
            header, at = self._header(block, at)
            size += cost_of(header)
            if size <= max_list_size:
                headers.append(header)
        return HeaderList(headers, size > max_list_size)

    def _header(self, block: bytes, at: int) -> tuple[Header, int]:
        first = block[at]
        if first & 0x80:
            index, at = _integer(block, at, 7)
            return self._indexed(index), at
        is_kept = bool(first & 0x40)
        index, at = _integer(block, at, 6 if is_kept else 4)
        if index:
            name = self._indexed(index)[0]
        else:
            name, at = _text(block, at)
        value, at = _text(block, at)
        header = (name, value)
        if is_kept:
            self._add(header)
        return header, at

    def _indexed(self, index: int) -> Header:
        if 1 <= index <= len(_STATIC):
            return _STATIC[index - 1]
        if len(_STATIC) < index <= len(_STATIC) + len(self._table):
            return self._table[index - len(_STATIC) - 1]
        raise CompressionError("A header block names a header that its table does not have.")

    def _add(self, header: Header) -> None:
        self._size += cost_of(header)
        self._table.appendleft(header)
        self._evict()

    def _resize(self, capacity: int) -> None:
        if capacity > self._max_table_size:
            raise CompressionError("A header block makes its table larger than it may be.")
        self._capacity = capacity
        self._evict()

    def _evict(self) -> None:
        while self._size > self._capacity:
            self._size -= cost_of(self._table.pop())


class Encoder:
    """Writes header blocks without a dynamic table: one block does not depend on another."""

    def __init__(self) -> None:
        self._has_told_size = False

    def tell_size(self) -> None:
        """The next block says again that the table is empty, as a change of the peer's limit asks for."""
        self._has_told_size = False

    def encode(self, headers: Sequence[Header]) -> bytes:
        block = bytearray()
        if not self._has_told_size:
            block.append(0x20)
            self._has_told_size = True
        for header in headers:
            _write_header(block, header)
        return bytes(block)


def _write_header(block: bytearray, header: Header) -> None:
    name, value = header
    if at := _STATIC_PAIRS.get(header):
        _write_integer(block, at, (7, 0x80))
        return
    form = 0x10 if name in _SECRET else 0x00
    at = _STATIC_NAMES.get(name, 0)
    _write_integer(block, at, (4, form))
    if not at:
        _write_text(block, name)
    _write_text(block, value)


def _integer(block: bytes, at: int, prefix: int) -> tuple[int, int]:
    most = (1 << prefix) - 1
    value = block[at] & most
    at += 1
    if value < most:
        return value, at
    shift = 0
    while True:
        if at >= len(block):
            raise CompressionError("A header block ends within a number.")
        octet = block[at]
        at += 1
        value += (octet & 0x7F) << shift
        shift += 7
        if value > _MAX_INTEGER or shift > 35:
            raise CompressionError("A header block holds a number that is too large.")
        if not octet & 0x80:
            return value, at


def _text(block: bytes, at: int) -> tuple[bytes, int]:
    if at >= len(block):
        raise CompressionError("A header block ends where a text begins.")
    is_huffman = bool(block[at] & 0x80)
    length, at = _integer(block, at, 7)
    end = at + length
    if end > len(block):
        raise CompressionError("A header block ends within a text.")
    octets = block[at:end]
    return (decode_huffman(octets) if is_huffman else octets), end


def _write_integer(block: bytearray, value: int, prefix: tuple[int, int]) -> None:
    bits, form = prefix
    most = (1 << bits) - 1
    if value < most:
        block.append(form | value)
        return
    block.append(form | most)
    value -= most
    while value >= 0x80:
        block.append(value & 0x7F | 0x80)
        value >>= 7
    block.append(value)


def _write_text(block: bytearray, text: bytes) -> None:
    _write_integer(block, len(text), (7, 0))
    block += text
