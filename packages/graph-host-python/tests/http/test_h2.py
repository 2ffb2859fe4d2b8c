"""HTTP/2: client and server with each other, whatever way their octets take, and peers that misbehave."""

from __future__ import annotations

import asyncio
import random
import socket

import pytest

from roadstead_host.http.h2_client import ClientConnection
from roadstead_host.http.h2_errors import ErrorCode, StreamEnded
from roadstead_host.http.h2_heads import RequestHead
from roadstead_host.http.h2_server import MAX_STREAMS, ServerConnection
from roadstead_host.http.h2_stream import RECEIVE_WINDOW, Stream
from roadstead_host.http.hpack import Header
from support.h2_pair import Pair, connected, read_all, run


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
