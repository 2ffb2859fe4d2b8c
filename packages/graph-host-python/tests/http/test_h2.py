"""HTTP/2: client and server with each other, whatever way their octets take, and peers that misbehave."""

from __future__ import annotations

import asyncio
import random
import socket
import struct
from collections.abc import Awaitable, Callable

import pytest

from roadstead_host.http.h2_client import ClientConnection
from roadstead_host.http.h2_errors import ErrorCode, StreamEnded
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
from support.h2_pair import Pair, connected, read_all, request, run


async def echo(head: RequestHead, stream: Stream) -> None:
    stream.send_headers([(b":status", b"200"), (b"x-path", head.path)])
    while (piece := await stream.receive()) is not None:
        await stream.send(piece)
    await stream.send(b"", ends_stream=True)


async def never(head: RequestHead, stream: Stream) -> None:
    await stream.ended


def test_when_bodies_are_larger_than_windows_then_they_come_whole_and_apart() -> None:
    async def work() -> None:
        chance = random.Random(3)
        bodies = [chance.randbytes(chance.choice((0, 1, 70_000, 1_500_000))) for _ in range(20)]
        async with connected(echo) as pair:
            answers = await asyncio.gather(
                *(pair.ask("POST", f"/{at}", body) for at, body in enumerate(bodies))
            )
        assert [body for _, body in answers] == bodies
        assert [dict(head.headers)[b"x-path"] for head, _ in answers] == [b"/%d" % at for at in range(20)]

    run(work())


def test_when_octets_come_in_any_pieces_then_all_is_the_same() -> None:
    async def work() -> None:
        chance = random.Random(4)
        ours, left = socket.socketpair()
        right, theirs = socket.socketpair()
        await ServerConnection.open(theirs, lambda: ServerConnection(echo))
        client = await ClientConnection.open(ours, ClientConnection)
        passing = [asyncio.ensure_future(_pass(chance, *way)) for way in ((left, right), (right, left))]
        pair = Pair(client, client)  # type: ignore[arg-type]
        bodies = [chance.randbytes(chance.randrange(30_000)) for _ in range(10)]
        answers = await asyncio.gather(*(pair.ask("POST", "/", body) for body in bodies))
        assert [body for _, body in answers] == bodies
        for one in passing:
            one.cancel()

    run(work())


async def _pass(chance: random.Random, source: socket.socket, target: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    source.setblocking(False)
    while data := await loop.sock_recv(source, chance.choice((1, 7, 9, 1_000, 40_000))):
        await loop.sock_sendall(target, data)


def test_when_nobody_reads_a_body_then_its_writer_waits() -> None:
    sent = 0

    async def flood(head: RequestHead, stream: Stream) -> None:
        nonlocal sent
        stream.send_headers([(b":status", b"200")])
        while True:
            await stream.send(b"x" * 10_000)
            sent += 10_000

    async def work() -> None:
        async with connected(flood) as pair:
            exchange = await pair.begin("GET", "/")
            await exchange.head()
            before = -1
            while sent > before:
                before = sent
                for _ in range(50):
                    await asyncio.sleep(0)
            assert 0 < sent <= RECEIVE_WINDOW
            await exchange.stream.receive()
            while sent <= before:
                await asyncio.sleep(0)
            exchange.stream.reset(ErrorCode.CANCEL)

    run(work())


def test_when_one_body_is_not_read_then_the_others_come() -> None:
    async def work() -> None:
        async with connected(echo) as pair:
            slow = await pair.begin("POST", "/", ends_stream=False)
            writing = asyncio.ensure_future(slow.stream.send(b"x" * 5_000_000, ends_stream=True))
            for _ in range(5):
                _, body = await pair.ask("POST", "/", b"y" * 1_000_000)
                assert len(body) == 1_000_000
            assert not writing.done()
            assert len(await read_all(slow.stream)) == 5_000_000
            await writing

    run(work())


def test_when_either_side_has_trailers_then_they_follow_the_body() -> None:
    seen: list[Header] = []

    async def answer(head: RequestHead, stream: Stream) -> None:
        await read_all(stream)
        seen.extend(stream.trailers)
        stream.send_headers([(b":status", b"200")])
        await stream.send(b"body")
        stream.send_headers([(b"x-sum", b"7")], ends_stream=True)

    async def work() -> None:
        async with connected(answer) as pair:
            exchange = await pair.begin("POST", "/", ends_stream=False)
            await exchange.stream.send(b"body")
            exchange.stream.send_headers([(b"x-mine", b"1")], ends_stream=True)
            assert await read_all(exchange.stream) == b"body"
            assert exchange.stream.trailers == [(b"x-sum", b"7")]
            assert seen == [(b"x-mine", b"1")]

    run(work())


def test_when_an_answer_has_hints_before_its_head_then_the_head_counts() -> None:
    async def answer(head: RequestHead, stream: Stream) -> None:
        stream.send_headers([(b":status", b"103"), (b"link", b"</style.css>")])
        stream.send_headers([(b":status", b"200")], ends_stream=True)

    async def work() -> None:
        async with connected(answer) as pair:
            head, _ = await pair.ask("GET", "/")
            assert (head.status, head.headers) == (200, [])

    run(work())


def test_when_a_client_resets_a_stream_then_its_reader_and_writer_hear_it() -> None:
    heard: list[int] = []

    async def answer(head: RequestHead, stream: Stream) -> None:
        try:
            await stream.receive()
        except StreamEnded as ended:
            heard.append(ended.code)
        with pytest.raises(StreamEnded):
            stream.send_headers([(b":status", b"200")])
        heard.append(-1)

    async def work() -> None:
        async with connected(answer) as pair:
            exchange = await pair.begin("POST", "/", ends_stream=False)
            exchange.stream.reset(ErrorCode.CANCEL)
            with pytest.raises(StreamEnded):
                await exchange.head()
            while len(heard) < 2:
                await asyncio.sleep(0)
            assert heard == [ErrorCode.CANCEL, -1]

    run(work())


def test_when_an_answer_ends_before_the_body_is_read_then_the_rest_is_not_wanted() -> None:
    async def answer(head: RequestHead, stream: Stream) -> None:
        stream.send_headers([(b":status", b"413")])
        await stream.send(b"too much", ends_stream=True)

    async def work() -> None:
        async with connected(answer) as pair:
            exchange = await pair.begin("POST", "/", ends_stream=False)
            writing = asyncio.ensure_future(exchange.stream.send(b"x" * 5_000_000, ends_stream=True))
            assert (await exchange.head()).status == 413
            assert await exchange.stream.receive() == b"too much"
            with pytest.raises(StreamEnded):
                await writing

    run(work())


def test_when_the_connection_is_lost_then_every_stream_ends() -> None:
    async def work() -> None:
        async with connected(never) as pair:
            exchanges = [await pair.begin("GET", "/") for _ in range(3)]
            pair.server.out.transport.abort()  # type: ignore[union-attr]
            for exchange in exchanges:
                with pytest.raises(StreamEnded):
                    await exchange.head()
            with pytest.raises(StreamEnded):
                await pair.begin("GET", "/")

    run(work())


def test_when_a_server_takes_so_many_streams_then_the_next_waits_for_a_place() -> None:
    async def work() -> None:
        async with connected(never) as pair:
            first = [await pair.begin("GET", "/") for _ in range(MAX_STREAMS)]
            waiting = asyncio.ensure_future(pair.begin("GET", "/"))
            for _ in range(50):
                await asyncio.sleep(0)
            assert not waiting.done()
            first[0].stream.reset(ErrorCode.CANCEL)
            await waiting

    run(work())


def test_when_a_head_is_too_large_then_it_is_refused_and_the_connection_goes_on() -> None:
    async def work() -> None:
        async with connected(echo) as pair:
            large = [(b"x-%d" % at, b"v" * 1_000) for at in range(70)]
            exchange = await pair.begin("GET", "/", more=large)
            assert (await exchange.head()).status == 431
            assert (await pair.ask("GET", "/"))[0].status == 200

    run(work())


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
