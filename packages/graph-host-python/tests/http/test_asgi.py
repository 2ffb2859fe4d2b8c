"""What an app of ASGI gets of a request, and what is made of its answer."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from roadstead_host.http.h2_errors import ErrorCode, StreamEnded
from roadstead_host.http.lifespan import Lifespan
from roadstead_host.http.user_app import UnfitAppError
from support.h2_pair import read_all, run
from support.served import serving

START = {"type": "http.response.start", "status": 200, "headers": []}


def test_when_an_app_is_asked_then_its_scope_tells_the_request() -> None:
    seen: dict[str, Any] = {}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.update(scope)
        await send(START)
        await send({"type": "http.response.body"})

    async def work() -> None:
        async with serving(app) as served:
            await served.get("/a%20b/%C3%BC?x=1&y=%20", "PUT", b"body")
        kept = {
            name: seen[name]
            for name in ("type", "method", "path", "raw_path", "query_string", "root_path", "scheme")
        }
        assert kept == {
            "type": "http",
            "method": "PUT",
            "path": "/a b/ü",
            "raw_path": b"/a%20b/%C3%BC",
            "query_string": b"x=1&y=%20",
            "root_path": "",
            "scheme": "http",
        }
        assert seen["headers"] == [(b"host", b"agents.example")]
        assert (seen["server"], seen["client"][0]) == (("agents.example", 80), "127.0.0.1")

    run(work())


def test_when_an_app_raises_then_the_log_alone_has_the_error() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise RuntimeError("no luck with the secret")

    async def work() -> None:
        async with serving(app) as served:
            status, _, body = await served.get("/x")
            assert (status, body) == (500, b"Internal Server Error")
            assert served.complaints == [("http.app, GET /x", "no luck with the secret")]

    run(work())


@pytest.mark.parametrize("ending", ["raises", "returns"])
def test_when_an_answer_breaks_off_then_its_stream_is_reset(ending: str) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send(START)
        await send({"type": "http.response.body", "body": b"begun", "more_body": True})
        if ending == "raises":
            raise RuntimeError("no luck")

    async def work() -> None:
        async with serving(app) as served:
            exchange = await served.pair.begin("GET", "/")
            with pytest.raises(StreamEnded) as ended:
                await read_all(exchange.stream)
            assert ended.value.code == ErrorCode.INTERNAL_ERROR
            assert len(served.complaints) == 1

    run(work())


def test_when_an_app_sends_nonsense_then_it_hears_it_in_words() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.body", "body": b"too early"})

    async def work() -> None:
        async with serving(app) as served:
            assert (await served.get("/"))[0] == 500
            assert (
                served.complaints[0][1]
                == "The app sent http.response.body where its answer does not take it."
            )

    run(work())


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 204), ("GET", 304)])
def test_when_an_answer_has_no_body_then_what_the_app_gives_is_dropped(method: str, status: int) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send(
            {**START, "status": status, "headers": [(b"content-length", b"4"), (b"Connection", b"close")]}
        )
        await send({"type": "http.response.body", "body": b"body"})

    async def work() -> None:
        async with serving(app) as served:
            answered, headers, body = await served.get("/", method)
            assert (answered, headers[b"content-length"], body) == (status, b"4", b"")
            assert b"connection" not in headers
            assert b"date" in headers

    run(work())


def test_when_a_reader_is_gone_then_the_app_is_told_and_its_stream_ends() -> None:
    heard: list[str] = []

    async def listener(scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "http"
        await receive()
        heard.append((await receive())["type"])

    async def endless() -> AsyncIterator[str]:
        try:
            yield "one"
            await asyncio.Event().wait()
        finally:
            heard.append("ended")

    async def stream(request: Request) -> Response:
        return StreamingResponse(endless())

    async def work() -> None:
        async with serving(listener) as served:
            (await served.pair.begin("GET", "/")).stream.reset(ErrorCode.CANCEL)
            await _until(lambda: len(heard) == 1)
        async with serving(Starlette(routes=[Route("/", stream)])) as served:
            exchange = await served.pair.begin("GET", "/")
            assert await exchange.stream.receive() == b"one"
            exchange.stream.reset(ErrorCode.CANCEL)
            await _until(lambda: len(heard) == 2)
            assert served.complaints == []
        assert heard == ["http.disconnect", "ended"]

    run(work())


async def _until(condition: Any) -> None:
    while not condition():
        await asyncio.sleep(0)


def test_when_a_body_is_handed_on_as_it_comes_then_all_of_it_is() -> None:
    async def echo(request: Request) -> Response:
        return StreamingResponse(request.stream())

    async def work() -> None:
        async with serving(Starlette(routes=[Route("/", echo, methods=["POST"])])) as served:
            body = bytes(range(256)) * 12_000
            assert (await served.get("/", "POST", body))[2] == body

    run(work())


def test_when_an_answer_has_a_task_behind_it_then_the_answer_does_not_wait() -> None:
    done = asyncio.Event()

    async def work() -> None:
        gate = asyncio.Event()

        async def behind() -> None:
            await gate.wait()
            done.set()

        async def answer(request: Request) -> Response:
            return PlainTextResponse("at once", background=BackgroundTask(behind))

        async with serving(Starlette(routes=[Route("/", answer)])) as served:
            assert (await served.get("/"))[2] == b"at once"
            assert not done.is_set()
            gate.set()
            await done.wait()

    run(work())


def test_when_an_app_has_a_lifespan_then_its_requests_see_the_state() -> None:
    told: list[str] = []

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[dict[str, Any]]:
        told.append("start")
        yield {"greeting": "hello"}
        told.append("end")

    async def greet(request: Request) -> Response:
        return PlainTextResponse(request.state.greeting)

    async def work() -> None:
        async with serving(Starlette(routes=[Route("/", greet)], lifespan=lifespan)) as served:
            assert (await served.get("/"))[2] == b"hello"
            assert told == ["start"]
        assert told == ["start", "end"]

    run(work())


def test_when_an_app_does_not_start_then_loading_fails_with_what_it_raised_or_told() -> None:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        raise RuntimeError("no database")
        yield

    async def telling(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "lifespan.startup.failed", "message": "Traceback\nno disk\n"})

    async def work(app: Any, error: type[Exception], words: str) -> None:
        with pytest.raises(error, match=words):
            async with serving(app):
                pass

    run(work(Starlette(lifespan=lifespan), RuntimeError, "^no database$"))
    run(work(telling, UnfitAppError, r"^http\.app: its startup failed: no disk$"))


def test_when_an_app_knows_no_lifespan_then_it_is_served_without() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        assert scope["type"] == "http"
        await send(START)
        await send({"type": "http.response.body", "body": b"plain"})

    async def work() -> None:
        async with serving(app) as served:
            assert (await served.get("/"))[2] == b"plain"
            assert served.complaints == []

    run(work())


def test_when_an_app_fails_to_end_then_the_log_says_so() -> None:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        raise RuntimeError("stuck")

    async def work() -> None:
        async with serving(Starlette(lifespan=lifespan)) as served:
            pass
        [(where, why)] = served.complaints
        assert where == "http.app, shutdown"
        assert "RuntimeError: stuck" in why

    run(work())


def test_when_a_startup_exits_then_the_app_does_not_start_and_the_host_goes_on() -> None:
    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        raise SystemExit("no license")
        yield

    async def plain(scope: Any, receive: Any, send: Any) -> None:
        sys.exit("no database")

    async def work(app: Any, words: str) -> None:
        with pytest.raises(SystemExit, match=words):
            async with serving(app):
                pass

    run(work(Starlette(lifespan=lifespan), "no license"))
    run(work(plain, "no database"))


def test_when_a_startup_takes_long_then_the_log_says_what_is_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("roadstead_host.http.lifespan._SLOW_S", 0.05)
    told: list[str] = []

    async def work() -> None:
        slow = asyncio.Event()

        @asynccontextmanager
        async def lifespan(app: Starlette) -> AsyncIterator[None]:
            await slow.wait()
            yield

        def complain(where: str, words: BaseException | str) -> None:
            told.append(f"{where}: {words}")
            slow.set()

        one = Lifespan(Starlette(lifespan=lifespan), complain)
        await one.start()
        await one.stop()

    run(work())
    assert told == ["http.app, startup: it has not ended after 0.05 s, and is waited for."]
