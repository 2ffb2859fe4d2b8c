"""Compressed headers: the examples of RFC 7541 in its appendix C, random ones, and blocks that are none."""

from __future__ import annotations

import random

import pytest

from roadstead_host.http.h2_errors import CompressionError
from roadstead_host.http.hpack import Decoder, Encoder, Header, cost_of
from roadstead_host.http.huffman import decode_huffman

LIMIT = 65_536

FIRST = [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "www.example.com")]
SECOND = [*FIRST, ("cache-control", "no-cache")]
THIRD = [
    (":method", "GET"),
    (":scheme", "https"),
    (":path", "/index.html"),
    (":authority", "www.example.com"),
    ("custom-key", "custom-value"),
]
COOKIE = "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"
FOUND = [
    (":status", "302"),
    ("cache-control", "private"),
    ("date", "Mon, 21 Oct 2013 20:13:21 GMT"),
    ("location", "https://www.example.com"),
]
MOVED = [(":status", "307"), *FOUND[1:]]
FINE = [
    (":status", "200"),
    ("cache-control", "private"),
    ("date", "Mon, 21 Oct 2013 20:13:22 GMT"),
    ("location", "https://www.example.com"),
    ("content-encoding", "gzip"),
    ("set-cookie", COOKIE),
]

# The size of the table, and blocks that follow one another with what they hold.
EXAMPLES = {
    "a literal that is kept": (
        4096,
        [("400a637573746f6d2d6b65790d637573746f6d2d686561646572", [("custom-key", "custom-header")])],
    ),
    "a literal that is not kept": (4096, [("040c2f73616d706c652f70617468", [(":path", "/sample/path")])]),
    "a literal that is never kept": (
        4096,
        [("100870617373776f726406736563726574", [("password", "secret")])],
    ),
    "a field of the static table": (4096, [("82", [(":method", "GET")])]),
    "requests": (
        4096,
        [
            ("828684410f7777772e6578616d706c652e636f6d", FIRST),
            ("828684be58086e6f2d6361636865", SECOND),
            ("828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565", THIRD),
        ],
    ),
    "requests in Huffman code": (
        4096,
        [
            ("828684418cf1e3c2e5f23a6ba0ab90f4ff", FIRST),
            ("828684be5886a8eb10649cbf", SECOND),
            ("828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf", THIRD),
        ],
    ),
    "answers whose table overflows": (
        256,
        [
            (
                "4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a323120474d54"
                "6e1768747470733a2f2f7777772e6578616d706c652e636f6d",
                FOUND,
            ),
            ("4803333037c1c0bf", MOVED),
            (
                "88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a69707738666f6f3d"
                "4153444a4b48514b425a584f5157454f50495541585157454f49553b206d61782d6167653d333630303b20766572"
                "73696f6e3d31",
                FINE,
            ),
        ],
    ),
    "answers in Huffman code whose table overflows": (
        256,
        [
            (
                "488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b"
                "97c8e9ae82ae43d3",
                FOUND,
            ),
            ("4883640effc1c0bf", MOVED),
            (
                "88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdf"
                "cd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007",
                FINE,
            ),
        ],
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_when_blocks_are_those_of_the_rfc_then_they_hold_its_headers(name: str) -> None:
    size, blocks = EXAMPLES[name]
    decoder = Decoder(size)
    for block, headers in blocks:
        expected = [(field.encode(), value.encode()) for field, value in headers]
        assert decoder.decode(bytes.fromhex(block), LIMIT).headers == expected


def test_when_headers_are_written_then_they_are_read_the_same() -> None:
    chance = random.Random(11)
    names = [b":status", b"content-type", b"cookie", b"x-" + b"n" * 200, b"authorization"]
    encoder, decoder = Encoder(), Decoder()
    for _ in range(300):
        headers: list[Header] = [
            (chance.choice(names), chance.choice((b"", b"200", chance.randbytes(chance.randrange(400)))))
            for _ in range(chance.randrange(8))
        ]
        assert decoder.decode(encoder.encode(headers), LIMIT).headers == headers


def test_when_headers_are_many_then_those_above_the_limit_are_left_out() -> None:
    headers: list[Header] = [(b"x-%d" % number, b"v" * 100) for number in range(20)]
    encoder, decoder = Encoder(), Decoder()
    limit = sum(cost_of(header) for header in headers[:7])
    decoded = decoder.decode(encoder.encode(headers), limit)
    assert (decoded.headers, decoded.is_cut) == (headers[:7], True)
    assert not decoder.decode(encoder.encode(headers[:7]), limit).is_cut


def test_when_a_secret_is_written_then_tables_never_keep_it() -> None:
    encoder = Encoder()
    encoder.encode([])
    assert encoder.encode([(b"authorization", b"x")])[0] & 0xF0 == 0x10
    assert encoder.encode([(b"accept", b"x")])[0] & 0xF0 == 0x00


@pytest.mark.parametrize(
    "block",
    [
        "80",  # the index nothing
        "be",  # an index that the table does not have
        "ff8080808080808001",  # a number without end
        "7f",  # a number that ends early
        "0005616263",  # a text that ends early
        "0083ffffff00",  # a padding longer than an octet
        "0084fffffffc00",  # the end of the text within a text
        "00811c00",  # a padding of zeros
        "8220",  # a change of the table after a header
        "3fe2ff03",  # a table larger than allowed
    ],
)
def test_when_a_block_is_none_then_it_is_an_error_of_compression(block: str) -> None:
    with pytest.raises(CompressionError):
        Decoder().decode(bytes.fromhex(block), LIMIT)


def test_when_octets_are_random_then_they_are_decoded_or_refused() -> None:
    chance = random.Random(5)
    decoder = Decoder()
    refused = 0
    for _ in range(2_000):
        try:
            decoder.decode(chance.randbytes(chance.randrange(60)), LIMIT)
        except CompressionError:
            refused += 1
    assert 0 < refused < 2_000


def test_when_a_huffman_code_is_long_then_its_time_grows_with_its_length() -> None:
    # The code of `&` has eight bits: all ones but the last three.
    assert decode_huffman(bytes([0xF8]) * 100_000) == b"&" * 100_000


def test_when_a_table_is_full_then_the_oldest_header_leaves_it() -> None:
    header = (b"name", b"value")
    decoder = Decoder(2 * cost_of(header) - 1)
    kept = b"\x40\x04name\x05value"
    assert decoder.decode(kept + kept + b"\xbe", LIMIT).headers == [header] * 3
    with pytest.raises(CompressionError):
        decoder.decode(b"\xbf", LIMIT)
