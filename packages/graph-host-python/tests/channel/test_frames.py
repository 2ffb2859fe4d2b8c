"""Frames that come in any pieces, and bytes that are no frames."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

import pytest

from roadstead_host.channel.errors import MalformedFrameError
from roadstead_host.channel.frames import Frame, JsonBytes, encode_frame, read_frames


def received(data: bytes, sizes: Callable[[], int] = lambda: 65_536) -> Callable[[memoryview], int]:
    left = memoryview(data)

    def receive_into(place: memoryview) -> int:
        nonlocal left
        count = min(len(left), len(place), sizes())
        place[:count] = left[:count]
        left = left[count:]
        return count

    return receive_into


def frames_in(data: bytes, sizes: Callable[[], int] = lambda: 65_536) -> list[Frame]:
    return list(read_frames(received(data, sizes)))


def encoded(number: int, params: object, *blobs: bytes) -> bytes:
    return b"".join(encode_frame({"id": number, "method": "m"}, ("params", params), blobs))


def test_when_frames_come_in_any_pieces_then_all_are_read() -> None:
    chance = random.Random(7)
    sent = [
        (number, "ü" * chance.randrange(200), chance.randbytes(chance.choice((0, 10, 70_000, 300_000))))
        for number in range(30)
    ]
    data = b"".join(encoded(number, text, blob, b"") for number, text, blob in sent)
    for sizes in (lambda: 40_000, lambda: chance.randint(1, 5_000), lambda: chance.randint(1, 500_000)):
        read = frames_in(data, sizes)
        assert [(f.head["id"], f.head["params"], bytes(f.blobs[0])) for f in read] == sent
        assert all(bytes(frame.blobs[1]) == b"" for frame in read)


def test_when_a_frame_comes_byte_by_byte_then_it_is_read_as_one() -> None:
    [frame] = frames_in(encoded(1, {"a": 1}, b"xyz"), lambda: 1)
    assert frame.head == {"id": 1, "method": "m", "params": {"a": 1}, "blobs": [3]}
    assert bytes(frame.blobs[0]) == b"xyz"


def test_when_a_member_is_written_already_then_it_is_sent_as_it_is() -> None:
    [frame] = frames_in(b"".join(encode_frame({"re": 1}, ("result", JsonBytes(b"[1]")))))
    assert frame.head == {"re": 1, "result": [1]}


def test_when_a_text_has_half_a_surrogate_pair_then_it_arrives() -> None:
    [frame] = frames_in(encoded(1, "a\ud800"))
    assert frame.head["params"] == "a\ud800"


def test_when_the_connection_ends_within_a_frame_then_nothing_of_it_is_read() -> None:
    assert frames_in(encoded(1, "x" * 100)[:-1]) == []
    assert frames_in(encoded(1, "", b"x" * 100_000)[:-1]) == []


def framed(head: bytes, total: int | None = None, length: int | None = None) -> bytes:
    size = len(head)
    return struct.pack(">II", size + 4 if total is None else total, size if length is None else length) + head


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"\xff\xff\xff\xff\0\0\0\2{}", "claims 4294967299 bytes"),
        (b"\0\0\0\0", "claims 4 bytes"),
        (framed(b"{{"), "not JSON"),
        (framed(b'"\xff"'), "not JSON"),
        (framed(b"[" * 100_000), "not JSON"),
        (framed(b"{}", length=9), "longer than its frame"),
        (framed(b"{}"), "no question"),
        (framed(b"[]"), "no question"),
        (framed(b'{"method":5}'), "no question"),
        (framed(b'{"id":true,"method":"m"}'), "no question"),
        (framed(b'{"re":1,"error":{"name":1,"message":""}}'), "no question"),
        (framed(b'{"method":"m","blobs":[-1]}'), "no question"),
        (framed(b'{"method":"m","blobs":[1]}'), "do not fill"),
        (framed(b'{"method":"m"}x', length=14), "do not fill"),
    ],
)
def test_when_bytes_are_no_frame_then_they_are_refused(data: bytes, fault: str) -> None:
    with pytest.raises(MalformedFrameError, match=fault):
        frames_in(data)


def test_when_a_frame_is_too_large_then_it_is_not_sent() -> None:
    with pytest.raises(ValueError, match="above the limit"):
        encoded(1, None, bytes(64 * 1024 * 1024))
