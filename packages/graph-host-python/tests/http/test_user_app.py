"""Which apps are served, which addresses they tell, and what they have nothing at."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi import APIRouter, FastAPI, HTTPException, WebSocket
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, Router, WebSocketRoute
from starlette.staticfiles import StaticFiles

from roadstead_host.http.user_app import UnfitAppError, create_user_app
from support.h2_pair import read_all, run
from support.served import NOT_SERVED, serving


async def page(request: Request) -> Response:
    return PlainTextResponse("page")


async def gone(request: Request) -> Response:
    return PlainTextResponse("gone", 404)


def addresses(app: Any) -> set[str]:
    routes = create_user_app(app, "http.app").description["routes"]
    return {f"{route['method']} {route['path']}" for route in routes}


def test_when_an_app_is_of_starlette_then_it_tells_its_addresses(tmp_path: Any) -> None:
    async def socket(websocket: Any) -> None: ...

    app = Starlette(
        routes=[
            Route("/one/{id:int}", page, methods=["POST"]),
            Route("/files/{path:path}/raw", page),
            Route("/report-{name}.pdf", page),
            WebSocketRoute("/live", socket),
            Mount("/app", StaticFiles(directory=tmp_path)),
            Mount("/", routes=[Route("/inner", page)]),
            Mount("/", StaticFiles(directory=tmp_path)),
        ]
    )
    assert addresses(app) == {
        "POST /one/:part",
        "GET /files/*",
        "HEAD /files/*",
        "GET /:part",
        "HEAD /:part",
        "ALL /app/*",
        "WEBSOCKET /live",
        "GET /inner",
        "HEAD /inner",
    }


def test_when_an_app_is_of_fastapi_then_it_tells_those_of_its_routers() -> None:
    app, router, inner = FastAPI(), APIRouter(prefix="/r"), APIRouter(prefix="/q")

    @inner.post("/z/{name}")
    async def nested(name: str) -> str:
        return name

    @router.websocket("/live")
    async def live(websocket: WebSocket) -> None: ...

    router.include_router(inner)
    app.include_router(router, prefix="/api")
    # The pages by which FastAPI documents itself are the deployment's own.
    assert addresses(app) == {"POST /api/r/q/z/:part", "WEBSOCKET /api/r/live"}


def test_when_an_app_has_too_many_addresses_then_it_tells_none() -> None:
    routes = [Route(f"/{at}", page, methods=["POST"]) for at in range(2_001)]
    assert create_user_app(Starlette(routes=routes), "http.app").description == {"routes": None}


async def plain(scope: Any, receive: Any, send: Any) -> None: ...


class Callable:
    async def __call__(self, scope: Any, receive: Any, send: Any) -> None: ...


@pytest.mark.parametrize("app", [plain, Callable(), lambda *event: None])
def test_when_an_app_is_any_of_asgi_then_it_does_not_tell_its_addresses(app: Any) -> None:
    assert create_user_app(app, "http.app").description == {"routes": None}


class Flask:
    def wsgi_app(self, environ: Any, start_response: Any) -> None: ...

    def __call__(self, environ: Any, start_response: Any) -> None: ...


class Double:
    def __init__(self, scope: Any) -> None: ...

    async def __call__(self, receive: Any, send: Any) -> None: ...


@pytest.mark.parametrize(
    ("exported", "words"),
    [
        (None, "is no app: export one of ASGI"),
        ({}, "is no app: export one of ASGI"),
        (Flask(), "is an app of WSGI, such as Flask makes"),
        (Double, "is an app of ASGI 2"),
        (lambda scope: None, "is an app of ASGI 2"),
        (lambda one, two: None, "is no app of ASGI: it does not take scope, receive and send"),
    ],
)
def test_when_an_export_is_no_app_then_it_is_refused_in_words(exported: Any, words: str) -> None:
    with pytest.raises(UnfitAppError, match=f"^http.app {words}"):
        create_user_app(exported, "http.app")


def fast_api() -> Any:
    app = FastAPI()

    @app.get("/gone")
    async def gone() -> None:
        raise HTTPException(404, "gone")

    return app


@pytest.mark.parametrize(
    "app",
    [
        Starlette(routes=[Route("/gone", gone)]),
        Router(routes=[Route("/gone", gone)]),
        Starlette(routes=[Mount("/", app=Starlette(routes=[Route("/gone", gone)]))]),
        fast_api(),
    ],
)
def test_when_an_app_answers_404_then_that_is_told_apart_from_what_it_does_not_have(app: Any) -> None:
    async def work() -> None:
        async with serving(app) as served:
            status, headers, _ = await served.get("/gone")
            assert (status, NOT_SERVED in headers) == (404, False)
            status, headers, body = await served.get("/nowhere")
            assert (status, headers[NOT_SERVED], body) == (404, b"1", b"")

    run(work())


def test_when_a_mounted_app_lacks_an_address_below_it_then_the_answer_is_its_own() -> None:
    async def work() -> None:
        app = Starlette(routes=[Mount("/shop", app=Starlette(routes=[Route("/gone", gone)]))])
        async with serving(app) as served:
            assert NOT_SERVED not in (await served.get("/shop/nowhere"))[1]
            assert NOT_SERVED in (await served.get("/elsewhere"))[1]

    run(work())


async def missing(request: Request, error: Exception) -> Response:
    return HTMLResponse("<p>Not here.</p>", 404)


class OwnPage(BaseHTTPMiddleware):
    async def dispatch(self, request: Request, call_next: Any) -> Response:
        answered: Response = await call_next(request)
        return HTMLResponse("front") if answered.status_code == 404 else answered


class Rewrite(BaseHTTPMiddleware):
    async def dispatch(self, request: Request, call_next: Any) -> Response:
        answered: Response = await call_next(request)
        answered.status_code = 410
        return answered


class Tag(BaseHTTPMiddleware):
    async def dispatch(self, request: Request, call_next: Any) -> Response:
        answered: Response = await call_next(request)
        answered.headers["x-tag"] = "1"
        return answered


@pytest.mark.parametrize(
    ("app", "status", "body", "is_served"),
    [
        (Starlette(exception_handlers={404: missing}), 404, b"<p>Not here.</p>", True),
        (FastAPI(exception_handlers={404: missing}), 404, b"<p>Not here.</p>", True),
        (Starlette(middleware=[Middleware(OwnPage)]), 200, b"front", True),
        (Starlette(middleware=[Middleware(Rewrite)]), 410, b"", True),
        (Starlette(middleware=[Middleware(Tag)]), 404, b"", False),
    ],
)
def test_when_an_app_answers_after_all_then_that_is_its_answer(
    app: Any, status: int, body: bytes, is_served: bool
) -> None:
    async def work() -> None:
        async with serving(app) as served:
            answered, headers, told = await served.get("/nowhere")
            assert (answered, told, NOT_SERVED not in headers) == (status, body, is_served)

    run(work())


def test_when_an_app_has_middleware_then_that_is_told() -> None:
    told = [
        create_user_app(app, "http.app").description.get("has_middleware")
        for app in (Starlette(), Starlette(middleware=[Middleware(Tag)]))
    ]
    assert told == [None, True]


@pytest.mark.parametrize(
    ("options", "openapi", "docs"),
    [({}, "/openapi.json", "/docs"), ({"docs_url": "/d", "openapi_url": "/o/a.json"}, "/o/a.json", "/d")],
)
def test_when_fastapi_documents_an_app_then_its_pages_name_where_the_app_is_found(
    options: dict[str, str], openapi: str, docs: str
) -> None:
    app = FastAPI(**options)  # type: ignore[arg-type]

    @app.get("/where")
    async def where(request: Request) -> str:
        return str(request.url_for("where"))

    assert create_user_app(app, "http.app").description["openapi_path"] == openapi

    async def work() -> None:
        async with serving(app) as served:
            more = [(b"x-forwarded-prefix", b"/agents/x")]
            exchange = await served.pair.begin("GET", openapi, more=more)
            assert json.loads(await read_all(exchange.stream))["servers"] == [{"url": "/agents/x"}]
            exchange = await served.pair.begin("GET", docs, more=more)
            assert f"/agents/x{openapi}".encode() in await read_all(exchange.stream)
            exchange = await served.pair.begin("GET", "/where", more=more)
            assert json.loads(await read_all(exchange.stream)) == "http://agents.example/where"

    run(work())
