"""HTTP/2 with peers that misbehave, or send any octets."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable

import pytest

from roadstead_host.http.h2_errors import ErrorCode
from roadstead_host.http.h2_frames import (
    DEFAULT_WINDOW,
    END_HEADERS,
    END_STREAM,
    PREFACE,
    Frame,
    FrameReader,
    FrameType,
    Setting,
    frame,
    headers_frames,
    reset_frame,
    settings_frame,
    window_frame,
)
from roadstead_host.http.h2_heads import RequestHead
from roadstead_host.http.h2_server import MAX_STREAMS, ServerConnection
from roadstead_host.http.h2_stream import RECEIVE_WINDOW, Stream
from roadstead_host.http.hpack import Encoder, Header
from support.h2_pair import request, run


async def echo(head: RequestHead, stream: Stream) -> None:
    stream.send_headers([(b":status", b"200"), (b"x-path", head.path)])
    while (piece := await stream.receive()) is not None:
        await stream.send(piece)
    await stream.send(b"", ends_stream=True)


async def never(head: RequestHead, stream: Stream) -> None:
    await stream.ended


class Wire:
    """A peer that sends any octets."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._reader = FrameReader()
        self._frames: list[Frame] = []
        self._encoder = Encoder()

    async def send(self, data: bytes) -> None:
        await asyncio.get_running_loop().sock_sendall(self._connection, data)

    def headers(self, stream_id: int, headers: list[Header], *, ends_stream: bool = True) -> bytes:
        return headers_frames(stream_id, self._encoder.encode(headers), ends_stream=ends_stream)

    async def until(self, kind: FrameType, stream_id: int = 0) -> Frame:
        while (one := await self.until_any(kind)).stream_id != stream_id:
            pass
        return one

    async def until_any(self, kind: FrameType) -> Frame:
        while True:
            while self._frames:
                one = self._frames.pop(0)
                if one.type == kind:
                    return one
            data = await asyncio.get_running_loop().sock_recv(self._connection, 65_536)
            assert data, "The connection ended."
            self._frames += self._reader.feed(data)


def misbehave(work: Callable[[Wire], Awaitable[None]], answer: Callable[..., Awaitable[None]] = echo) -> None:
    async def opened() -> None:
        ours, theirs = socket.socketpair()
        await ServerConnection.open(theirs, lambda: ServerConnection(answer))
        ours.setblocking(False)
        wire = Wire(ours)
        await wire.send(PREFACE + settings_frame({}))
        await work(wire)

    run(opened())


async def left_with(wire: Wire) -> int:
    farewell = await wire.until(FrameType.GOAWAY)
    return int(struct.unpack_from(">II", farewell.payload)[1])


GET = request("GET", "/")
PING = frame(FrameType.PING, 0, 0, b"12345678")


@pytest.mark.parametrize(
    ("octets", "code"),
    [
        (PING * 10_001, ErrorCode.ENHANCE_YOUR_CALM),
        (settings_frame({}) * 10_001, ErrorCode.ENHANCE_YOUR_CALM),
        (
            frame(FrameType.HEADERS, 0, 1, b"") + frame(FrameType.CONTINUATION, 0, 1) * 10_001,
            ErrorCode.ENHANCE_YOUR_CALM,
        ),
        (
            frame(FrameType.HEADERS, 0, 1) + frame(FrameType.CONTINUATION, 0, 1, b"x" * 16_000) * 9,
            ErrorCode.ENHANCE_YOUR_CALM,
        ),
        (frame(FrameType.DATA, 0, 1, b"x"), ErrorCode.PROTOCOL_ERROR),
        (struct.pack(">BHBBI", 0, 16_385, 0, 0, 1), ErrorCode.FRAME_SIZE_ERROR),
        (frame(FrameType.HEADERS, END_HEADERS, 1, b"\xff\xff\xff\xff\xff\xff"), ErrorCode.COMPRESSION_ERROR),
        (window_frame(0, 0), ErrorCode.PROTOCOL_ERROR),
        (frame(FrameType.PUSH_PROMISE, 0, 1, b"1234"), ErrorCode.PROTOCOL_ERROR),
    ],
)
def test_when_a_peer_floods_or_breaks_a_connection_then_it_ends(octets: bytes, code: ErrorCode) -> None:
    async def work(wire: Wire) -> None:
        await wire.send(octets)
        assert await left_with(wire) == code

    misbehave(work)


def test_when_empty_bodies_come_without_end_then_the_connection_ends() -> None:
    async def work(wire: Wire) -> None:
        await wire.send(wire.headers(1, request("POST", "/"), ends_stream=False))
        await wire.send(frame(FrameType.DATA, 0, 1) * 10_001)
        assert await left_with(wire) == ErrorCode.ENHANCE_YOUR_CALM

    misbehave(work)


def test_when_streams_are_reset_rapidly_then_answers_under_way_are_bounded() -> None:
    under_way = most = 0

    async def slow(head: RequestHead, stream: Stream) -> None:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.Event().wait()

    async def work(wire: Wire) -> None:
        ids = range(1, 2 * MAX_STREAMS + 21, 2)
        await wire.send(b"".join(wire.headers(at, GET) + reset_frame(at, ErrorCode.CANCEL) for at in ids))
        refused = await wire.until(FrameType.RST_STREAM, ids[-1])
        assert int.from_bytes(refused.payload) == ErrorCode.REFUSED_STREAM
        assert most == MAX_STREAMS

    misbehave(work, slow)


def test_when_a_body_is_faster_than_it_is_read_then_its_stream_ends() -> None:
    async def work(wire: Wire) -> None:
        await wire.send(wire.headers(1, request("POST", "/"), ends_stream=False))
        await wire.send(frame(FrameType.DATA, 0, 1, b"x" * 16_000) * (RECEIVE_WINDOW // 16_000 + 1))
        reset = await wire.until(FrameType.RST_STREAM, 1)
        assert int.from_bytes(reset.payload) == ErrorCode.FLOW_CONTROL_ERROR

    misbehave(work, never)


@pytest.mark.parametrize(
    "headers",
    [
        [*GET, (b"X-Upper", b"1")],
        [*GET, (b"connection", b"close")],
        [*GET, (b"te", b"gzip")],
        [*GET, (b"x-a", b"one\r\ntwo: 2")],
        [*GET, (b"x-a", b" spaced")],
        [*GET, (b":path", b"/again")],
        [(b"x-a", b"1"), *GET],
        [*GET[:-1], (b":path", b"")],
        [*GET, (b":status", b"200")],
        [*GET, (b"content-length", b"7")],
        [*GET, (b":protocol", b"websocket")],
    ],
)
def test_when_a_head_breaks_a_rule_then_its_stream_alone_ends(headers: list[Header]) -> None:
    async def work(wire: Wire) -> None:
        await wire.send(wire.headers(1, headers))
        reset = await wire.until(FrameType.RST_STREAM, 1)
        assert int.from_bytes(reset.payload) == ErrorCode.PROTOCOL_ERROR
        await wire.send(wire.headers(3, GET))
        ended = await wire.until(FrameType.DATA, 3)
        assert ended.flags & END_STREAM

    misbehave(work)


def test_when_a_peer_pings_then_it_is_answered() -> None:
    async def work(wire: Wire) -> None:
        await wire.send(PING)
        assert (await wire.until(FrameType.PING)).payload == b"12345678"

    misbehave(work)


def test_when_all_streams_share_a_window_then_no_body_takes_more_than_it_has() -> None:
    async def flood(head: RequestHead, stream: Stream) -> None:
        stream.send_headers([(b":status", b"200")])
        await stream.send(b"x" * 500_000, ends_stream=True)

    async def work(wire: Wire) -> None:
        await wire.send(settings_frame({Setting.INITIAL_WINDOW_SIZE: 1_000_000}))
        await wire.send(wire.headers(1, GET) + wire.headers(3, GET))
        taken = 0
        for window in (DEFAULT_WINDOW, 10_000):
            while taken < window:
                taken += len((await wire.until_any(FrameType.DATA)).payload)
            assert taken == window
            taken = 0
            await wire.send(window_frame(0, 10_000))

    misbehave(work, flood)
