"""WebSockets of an app: what the client sends and what the app does with it."""

from __future__ import annotations

import asyncio
import contextlib
import random
import struct
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from roadstead_host.http.asgi_web_socket import WebSockets
from roadstead_host.http.h2_client import Exchange
from roadstead_host.http.h2_errors import ErrorCode, StreamEnded
from roadstead_host.http.hpack import Header
from roadstead_host.http.web_socket_frames import CloseCode, Message, MessageReader, Opcode
from support.h2_pair import Pair, connected, run
from support.served import NOT_SERVED, Served, serving


def masked(opcode: int, payload: bytes, *, fin: bool = True, mask: bytes = b"\x01\x02\x03\x04") -> bytes:
    head = bytes([(0x80 if fin else 0) | opcode])
    if len(payload) < 126:
        head += bytes([0x80 | len(payload)])
    elif len(payload) < 1 << 16:
        head += bytes([0x80 | 126]) + struct.pack(">H", len(payload))
    else:
        head += bytes([0x80 | 127]) + struct.pack(">Q", len(payload))
    return head + mask + bytes(octet ^ mask[at % 4] for at, octet in enumerate(payload))


def close(code: int) -> bytes:
    return masked(Opcode.CLOSE, struct.pack(">H", code))


class Client:
    """Reads the frames of a server, which are not masked."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self._bytes = b""

    async def send(self, data: bytes) -> None:
        await self.exchange.stream.send(data)

    async def frame(self) -> tuple[int, bytes]:
        head = await self._take(2)
        length = head[1]
        if length >= 126:
            length = int.from_bytes(await self._take(2 if length == 126 else 8))
        return head[0] & 0x0F, await self._take(length)

    async def close_code(self) -> int:
        opcode, payload = await self.frame()
        assert opcode == Opcode.CLOSE
        return int.from_bytes(payload[:2])

    async def _take(self, count: int) -> bytes:
        while len(self._bytes) < count:
            self._bytes += await self.exchange.stream.receive() or b""
        taken, self._bytes = self._bytes[:count], self._bytes[count:]
        return taken


async def opened(served: Served, *more: Header) -> Client:
    return await opened_on(served.pair, *more)


async def opened_on(pair: Pair, *more: Header) -> Client:
    headers: list[Header] = [
        (b":method", b"CONNECT"),
        (b":protocol", b"websocket"),
        (b":scheme", b"https"),
        (b":authority", b"agents.example"),
        (b":path", b"/live?x=1"),
        *more,
    ]
    return Client(await pair.client.ask(headers, ends_stream=False))


async def echo(websocket: WebSocket) -> None:
    await websocket.accept()
    async for text in websocket.iter_text():
        await websocket.send_text(text)


def connected_sockets(ping_s: float) -> Any:
    """Those of an app that echoes."""
    sockets = WebSockets(app_of(echo), {}, lambda *_: None, ping_s)
    return connected(sockets.answer)


def app_of(endpoint: Any) -> Starlette:
    return Starlette(routes=[WebSocketRoute("/live", endpoint)])


def test_when_messages_come_in_any_pieces_then_they_are_whole() -> None:
    chance = random.Random(9)
    texts = [chance.randbytes(chance.choice((0, 5, 200, 70_000))).hex().encode() for _ in range(12)]
    octets = b"".join(
        masked(Opcode.TEXT, text[:3], fin=False)
        + masked(Opcode.PING, b"?")
        + masked(Opcode.CONTINUATION, text[3:])
        for text in texts
    )
    reader = MessageReader()
    messages: list[Message] = []
    while octets:
        size = chance.choice((1, 3, 50, 9_000))
        messages += reader.feed(octets[:size])
        octets = octets[size:]
    assert [message.payload for message in messages if message.opcode == Opcode.TEXT] == texts
    assert sum(message.opcode == Opcode.PING for message in messages) == len(texts)


def test_when_a_client_speaks_then_the_app_answers_over_the_same_stream() -> None:
    async def work() -> None:
        async with serving(app_of(echo)) as served:
            client = await opened(served)
            assert (await client.exchange.head()).status == 200
            await client.send(masked(Opcode.TEXT, "ü".encode() * 40_000))
            assert await client.frame() == (Opcode.TEXT, "ü".encode() * 40_000)
            await client.send(masked(Opcode.PING, b"?"))
            assert await client.frame() == (Opcode.PONG, b"?")
            await client.send(close(CloseCode.NORMAL))
            assert await client.close_code() == CloseCode.NORMAL
            assert served.complaints == []

    run(work())


def test_when_an_app_chooses_a_protocol_and_closes_then_the_client_hears_it() -> None:
    seen: dict[str, Any] = {}

    async def endpoint(websocket: WebSocket) -> None:
        seen.update(url=str(websocket.url), protocols=websocket.scope["subprotocols"])
        await websocket.accept("chat", [(b"x-more", b"1")])
        await websocket.send_bytes(b"\x00\xff")
        await websocket.close(4001, "enough")

    async def work() -> None:
        async with serving(app_of(endpoint)) as served:
            client = await opened(served, (b"sec-websocket-protocol", b"other, chat"))
            headers = dict((await client.exchange.head()).headers)
            assert (headers[b"sec-websocket-protocol"], headers[b"x-more"]) == (b"chat", b"1")
            assert await client.frame() == (Opcode.BINARY, b"\x00\xff")
            assert await client.frame() == (Opcode.CLOSE, struct.pack(">H", 4001) + b"enough")
        assert seen == {"url": "wss://agents.example/live?x=1", "protocols": ["other", "chat"]}

    run(work())


async def refuse(websocket: WebSocket) -> None:
    await websocket.close()


async def deny(websocket: WebSocket) -> None:
    await websocket.send_denial_response(PlainTextResponse("later", 429))


async def deny_as_success(websocket: WebSocket) -> None:
    await websocket.send_denial_response(PlainTextResponse("fine", 200))


async def fail(websocket: WebSocket) -> None:
    raise RuntimeError("no luck")


@pytest.mark.parametrize(
    ("endpoint", "status"), [(refuse, 403), (deny, 429), (deny_as_success, 403), (fail, 500)]
)
def test_when_an_app_takes_up_no_socket_then_the_client_has_an_answer(endpoint: Any, status: int) -> None:
    async def work() -> None:
        async with serving(app_of(endpoint)) as served:
            assert (await (await opened(served)).exchange.head()).status == status
            assert len(served.complaints) == (1 if status == 500 else 0)

    run(work())


@pytest.mark.parametrize("is_asked_before", [False, True])
@pytest.mark.parametrize("how", [refuse, deny])
def test_when_an_app_receives_after_it_has_refused_then_it_hears_of_the_end(
    how: Any, is_asked_before: bool
) -> None:
    heard: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        websocket = WebSocket(scope, receive, send)
        if is_asked_before:
            assert (await receive())["type"] == "websocket.connect"
        await how(websocket)
        while not heard or heard[-1]["type"] != "websocket.disconnect":
            heard.append(await receive())

    async def work() -> None:
        async with serving(app) as served:
            client = await opened(served)
            await client.exchange.head()
            while not heard or heard[-1]["type"] != "websocket.disconnect":
                await asyncio.sleep(0)
        assert heard[-1]["code"] == CloseCode.ABNORMAL

    run(work())


@pytest.mark.parametrize(
    ("octets", "code"),
    [
        (b"\x81\x01a", CloseCode.PROTOCOL_ERROR),
        (masked(0x3, b""), CloseCode.PROTOCOL_ERROR),
        (masked(Opcode.CONTINUATION, b"x"), CloseCode.PROTOCOL_ERROR),
        (masked(Opcode.PING, b"x" * 126), CloseCode.PROTOCOL_ERROR),
        (masked(Opcode.TEXT, b"\xff"), CloseCode.INVALID_TEXT),
        (b"\x82\xff" + struct.pack(">Q", 1 << 40), CloseCode.TOO_LARGE),
        (close(1005), CloseCode.PROTOCOL_ERROR),
    ],
)
def test_when_a_client_misbehaves_then_it_is_told_and_the_app_is_spared(octets: bytes, code: int) -> None:
    heard: list[int] = []

    async def endpoint(websocket: WebSocket) -> None:
        await websocket.accept()
        heard.append((await websocket.receive())["code"])

    async def work() -> None:
        async with serving(app_of(endpoint)) as served:
            client = await opened(served)
            await client.send(octets)
            assert await client.close_code() == code
            assert heard == [code]

    run(work())


def test_when_a_wait_for_a_message_is_given_up_then_no_message_is_lost() -> None:
    async def endpoint(websocket: WebSocket) -> None:
        await websocket.accept()
        waiting = asyncio.ensure_future(websocket.receive_text())
        await asyncio.sleep(0)
        waiting.cancel()
        await websocket.send_text("ready")
        await websocket.send_text(await websocket.receive_text())

    async def work() -> None:
        async with serving(app_of(endpoint)) as served:
            client = await opened(served)
            assert await client.frame() == (Opcode.TEXT, b"ready")
            await client.send(masked(Opcode.TEXT, b"kept"))
            assert await client.frame() == (Opcode.TEXT, b"kept")

    run(work())


def test_when_several_tasks_send_at_once_then_their_messages_come_whole() -> None:
    async def endpoint(websocket: WebSocket) -> None:
        await websocket.accept()
        await asyncio.gather(*(websocket.send_text(letter * 400_000) for letter in "abc"))

    async def work() -> None:
        async with serving(app_of(endpoint)) as served:
            client = await opened(served)
            frames = [await client.frame() for _ in range(3)]
            assert sorted(payload for _, payload in frames) == [
                letter * 400_000 for letter in (b"a", b"b", b"c")
            ]

    run(work())


def test_when_a_client_is_gone_then_the_app_hears_a_disconnect() -> None:
    heard: list[int] = []

    async def endpoint(websocket: WebSocket) -> None:
        await websocket.accept()
        heard.append((await websocket.receive())["code"])

    async def work() -> None:
        async with serving(app_of(endpoint)) as served:
            client = await opened(served)
            await client.exchange.head()
            client.exchange.stream.reset(ErrorCode.CANCEL)
            while not heard:
                await asyncio.sleep(0)
            assert heard == [CloseCode.ABNORMAL]

    run(work())


async def silent(websocket: WebSocket) -> None:
    """Sends, and never looks at what comes."""
    await websocket.accept()
    with contextlib.suppress(WebSocketDisconnect):
        while True:
            await websocket.send_text("tick")
            await asyncio.sleep(0.01)


def test_when_an_app_does_not_look_at_what_comes_then_a_close_is_answered_all_the_same() -> None:
    async def work() -> None:
        async with serving(app_of(silent)) as served:
            client = await opened(served)
            await client.send(masked(Opcode.PING, b"?") + close(4000))
            frames = []
            while (frame := await client.frame())[0] != Opcode.CLOSE:
                frames.append(frame)
            assert (Opcode.PONG, b"?") in frames
            assert frame[1] == struct.pack(">H", 4000)
            assert served.complaints == []

    run(work())


def test_when_messages_come_faster_than_the_app_reads_then_the_client_waits() -> None:
    go_on = asyncio.Event()
    heard: list[int] = []

    async def endpoint(websocket: WebSocket) -> None:
        await websocket.accept()
        await go_on.wait()
        for _ in range(40):
            heard.append(len(await websocket.receive_bytes()))

    async def work() -> None:
        async with serving(app_of(endpoint)) as served:
            client = await opened(served)
            sent: list[int] = []

            async def send() -> None:
                for _ in range(40):
                    await client.send(masked(Opcode.BINARY, bytes(100_000)))
                    sent.append(1)

            sending = asyncio.ensure_future(send())
            before = -1
            while before != len(sent):
                before = len(sent)
                await asyncio.sleep(0.1)
            assert before < 20
            go_on.set()
            await sending
            assert await client.close_code() == CloseCode.NORMAL
            assert heard == [100_000] * 40

    run(work())


@pytest.mark.parametrize("how", ["the host stops", "the engine sends no more"])
def test_when_it_ends_here_then_the_client_is_told_to_come_back_and_the_app_hears_it(how: str) -> None:
    heard: list[int] = []

    async def endpoint(websocket: WebSocket) -> None:
        await websocket.accept()
        heard.append((await websocket.receive())["code"])

    async def work() -> None:
        async with serving(app_of(endpoint)) as served:
            client = await opened(served)
            assert (await client.exchange.head()).status == 200
            if how == "the host stops":
                await served.app.stop()
            else:
                await client.exchange.stream.send(b"", ends_stream=True)
            assert await client.close_code() == CloseCode.RESTART
        assert heard == [CloseCode.RESTART if how == "the host stops" else CloseCode.ABNORMAL]

    run(work())


def test_when_a_client_is_silent_then_it_is_pinged_and_let_go_where_it_never_answers() -> None:
    async def work() -> None:
        async with connected_sockets(ping_s=0.01) as pair:
            client = await opened_on(pair)
            for _ in range(3):
                assert await client.frame() == (Opcode.PING, b"")
                await client.send(masked(Opcode.PONG, b""))
            with pytest.raises(StreamEnded):
                while True:
                    await client.frame()

    run(work())


def test_when_an_app_returns_without_a_close_then_it_is_a_normal_one() -> None:
    async def endpoint(websocket: WebSocket) -> None:
        await websocket.accept()

    async def work() -> None:
        async with serving(app_of(endpoint)) as served:
            assert await (await opened(served)).close_code() == CloseCode.NORMAL

    run(work())


def test_when_an_app_has_nothing_at_an_address_then_the_answer_tells_so() -> None:
    async def work() -> None:
        async with serving(Starlette()) as served:
            head = await (await opened(served)).exchange.head()
            assert (head.status, dict(head.headers)[NOT_SERVED]) == (404, b"1")

    run(work())
