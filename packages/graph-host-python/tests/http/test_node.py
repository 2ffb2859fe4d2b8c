"""HTTP/2 with the peer of every host: Node.js, both ways, over a socket that it inherits."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
from typing import Any

from roadstead_host.http.asgi import answer_request
from roadstead_host.http.asgi_web_socket import WebSockets
from roadstead_host.http.h2_client import ClientConnection
from roadstead_host.http.h2_errors import ErrorCode, StreamEnded
from roadstead_host.http.h2_heads import RequestHead
from roadstead_host.http.h2_server import ServerConnection
from roadstead_host.http.h2_stream import Stream
from support.h2_pair import Pair, read_all, request, run

CLIENT = """
import { connect } from 'node:http2';
import { Socket } from 'node:net';
import { once } from 'node:events';
const createConnection = () => new Socket({ fd: 0 });
const session = connect('http://host', { createConnection, maxSessionMemory: 256 });
await once(session, 'remoteSettings');
const ask = async (headers, body) => {
  const stream = session.request(headers, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const [head] = await once(stream, 'response');
  let length = 0;
  let text = '';
  for await (const piece of stream) {
    length += piece.length;
    if (text.length < 100) text += piece;
  }
  return { status: head[':status'], length, text: text.slice(0, 100), code: stream.rstCode };
};
const told = {};
told.many = await Promise.all(
  Array.from({ length: 50 }, (_, at) =>
    ask({ ':method': 'POST', ':path': `/echo/${at}`, 'x-name': 'ü' }, 'x'.repeat(at * 20_000)),
  ),
);
told.unread = await ask({ ':method': 'POST', ':path': '/unread' }, 'x'.repeat(3_000_000));
told.head = await ask({ ':method': 'HEAD', ':path': '/hello' });
told.failed = await ask({ ':path': '/fail' });
const aborted = session.request({ ':path': '/stream' });
await once(aborted, 'data');
aborted.close(8);
await once(aborted, 'close');
const socket = session.request({
  ':method': 'CONNECT', ':protocol': 'websocket', ':path': '/socket', ':authority': 'host', ':scheme': 'http',
});
socket.write(Buffer.from([0x81, 0x82, 1, 2, 3, 4, 'h'.charCodeAt(0) ^ 1, 'i'.charCodeAt(0) ^ 2]));
const [opened] = await once(socket, 'response');
const [frame] = await once(socket, 'data');
told.socket = [opened[':status'], frame.toString('latin1')];
socket.close();
console.log(JSON.stringify(told));
process.exit();
"""

SERVER = """
import { createServer } from 'node:http2';
import { Socket } from 'node:net';
const server = createServer({ settings: { maxConcurrentStreams: 2 } });
server.on('stream', async (stream, headers) => {
  stream.on('error', () => undefined);
  if (headers[':path'] === '/never') return;
  if (headers[':path'] === '/reset') return stream.close(2);
  stream.respond({ ':status': 200, 'x-authority': headers[':authority'], 'set-cookie': ['a=1', 'b=2'] },
    { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'x-sum': '7' }));
  for await (const piece of stream)
    if (!stream.write(piece)) await new Promise((go) => stream.once('drain', go));
  stream.end();
});
server.emit('connection', new Socket({ fd: 0 }));
"""


class Node:
    """A program of Node.js whose input is the other end of a socket."""

    def __init__(self, program: str) -> None:
        self.socket, theirs = socket.socketpair()
        command = ["node", "--input-type=module", "--eval", program]
        self.process = subprocess.Popen(command, stdin=theirs.fileno(), stdout=subprocess.PIPE)
        theirs.close()

    def __enter__(self) -> Node:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    async def output(self) -> Any:
        output, _ = await asyncio.to_thread(self.process.communicate)
        return json.loads(output)


async def app(scope: Any, receive: Any, send: Any) -> None:
    start = {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]}
    if scope["path"] == "/fail":
        raise ValueError("no luck")
    if scope["path"] in ("/hello", "/unread"):
        await send(start)
        await send({"type": "http.response.body", "body": b"hello"})
        return
    await send({**start, "headers": []})
    while scope["path"] == "/stream":
        await send({"type": "http.response.body", "body": b"x" * 1000, "more_body": True})
    is_more = True
    while is_more:
        event = await receive()
        is_more = event["more_body"]
        await send({"type": "http.response.body", "body": event["body"], "more_body": is_more})


async def echo_socket(scope: Any, receive: Any, send: Any) -> None:
    await receive()
    await send({"type": "websocket.accept"})
    while (event := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": event["text"] + "!"})


def test_when_node_asks_then_it_is_answered() -> None:
    complaints: list[str] = []
    cut: list[str] = []

    async def answer(head: RequestHead, stream: Stream) -> None:
        told: dict[str, Any] = {"state": {}, "complain": lambda where, _: complaints.append(where)}
        if head.protocol:
            await WebSockets(echo_socket, **told).answer(head, stream)
            return
        await answer_request(app, head, stream, **told)
        if head.path == b"/stream":
            cut.append("stream")

    async def work() -> None:
        with Node(CLIENT) as node:
            await ServerConnection.open(node.socket, lambda: ServerConnection(answer))
            told = await node.output()
        assert [one["length"] for one in told["many"]] == [at * 20_000 for at in range(50)]
        assert {one["status"] for one in told["many"]} == {200}
        assert told["unread"] == {"status": 200, "length": 5, "text": "hello", "code": 0}
        assert told["head"] == {"status": 200, "length": 0, "text": "", "code": 0}
        assert told["failed"] == {"status": 500, "length": 21, "text": "Internal Server Error", "code": 0}
        assert told["socket"] == [200, "\x81\x03hi!"]
        assert complaints == ["http.app, GET /fail"]
        assert cut == ["stream"]

    run(work())


def test_when_node_is_asked_then_it_answers() -> None:
    async def work() -> None:
        with Node(SERVER) as node:
            client = await ClientConnection.open(node.socket, ClientConnection)
            pair = Pair(client, client)  # type: ignore[arg-type]
            bodies = [b"x" * (at * 30_000) for at in range(30)]
            answers = await asyncio.gather(*(pair.ask("POST", "/", body) for body in bodies))
            assert [body for _, body in answers] == bodies
            head, _ = answers[0]
            cookies = [value for name, value in head.headers if name == b"set-cookie"]
            assert (head.status, dict(head.headers)[b"x-authority"], cookies) == (
                200,
                b"agents.example",
                [b"a=1", b"b=2"],
            )
            exchange = await client.ask(request("GET", "/"), ends_stream=True)
            assert await read_all(exchange.stream) == b""
            assert exchange.stream.trailers == [(b"x-sum", b"7")]
            reset = await client.ask(request("GET", "/reset"), ends_stream=True)
            try:
                await reset.head()
            except StreamEnded as ended:
                assert "without an answer" in str(ended)
            never = await client.ask(request("GET", "/never"), ends_stream=True)
            never.stream.reset(ErrorCode.CANCEL)
            assert (await pair.ask("GET", "/"))[0].status == 200

    run(work())
