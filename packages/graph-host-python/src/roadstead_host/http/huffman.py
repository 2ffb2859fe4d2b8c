"""The Huffman code of HPACK (RFC 7541, appendix B). The code is canonical: lengths alone determine it."""

from __future__ import annotations

from .h2_errors import CompressionError

# The length of the code of each octet, and at last that of the end of a text.
_LENGTHS = bytes.fromhex(
    "0d171c1c1c1c1c1c1c181e1c1c1e1c1c1c1c1c1c1c1c1e1c1c1c1c1c1c1c1c1c060a0a0c0d06080b0a0a080b08060606"
    "0505050606060606060607080f060c0a0d06070707070707070707070707070707070707070707070807080d130d0e06"
    "0f05060506050606060507070606060506070605050607070707070f0b0e0d1c14161414161616171617171717171817"
    "181816171817171717151617161717181615141616171715171616181516171715151615171617171416161617161617"
    "1a1a1413161716191a1a1a1b1b1a181913151a1b1b1a1b1815151a1a1c1b1b1b14181415161515171616191918181a17"
    "1a1b1a1a1b1b1b1b1b1c1b1b1b1b1b1a1e"
)
_END_OF_TEXT = 256
_SHORTEST = min(_LENGTHS)


def _codes() -> list[int]:
    codes = [0] * len(_LENGTHS)
    code = length = 0
    for symbol in sorted(range(len(_LENGTHS)), key=lambda symbol: (_LENGTHS[symbol], symbol)):
        code <<= _LENGTHS[symbol] - length
        length = _LENGTHS[symbol]
        codes[symbol] = code
        code += 1
    return codes


def _symbols_by_length() -> list[tuple[int, dict[int, int]]]:
    tables: dict[int, dict[int, int]] = {}
    for symbol, code in enumerate(_codes()):
        tables.setdefault(_LENGTHS[symbol], {})[code] = symbol
    return sorted(tables.items())


_SYMBOLS = _symbols_by_length()


def decode_huffman(data: bytes) -> bytes:
    text = bytearray()
    bits = count = 0
    for octet in data:
        bits = bits << 8 | octet
        count += 8
        while count >= _SHORTEST:
            found = _first_symbol(bits, count)
            if found is None:
                break
            symbol, length = found
            if symbol == _END_OF_TEXT:
                raise CompressionError("A Huffman code holds the end of the text.")
            text.append(symbol)
            count -= length
            bits &= (1 << count) - 1
    # The rest pads to an octet: the first bits of the end of a text, all of them ones.
    if count >= 8 or bits != (1 << count) - 1:
        raise CompressionError("A Huffman code ends in a padding that is none.")
    return bytes(text)


def _first_symbol(bits: int, count: int) -> tuple[int, int] | None:
    for length, symbols in _SYMBOLS:
        if length > count:
            return None
        symbol = symbols.get(bits >> (count - length))
        if symbol is not None:
            return symbol, length
    return None
