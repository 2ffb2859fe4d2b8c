"""Routes of its own beside those of the API, with a lifespan and a middleware."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Mount, Route

began: list[str] = []


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncIterator[None]:
    began.append("lifespan")
    yield


class Stamp(BaseHTTPMiddleware):
    async def dispatch(self, request: Request, call_next: RequestResponseEndpoint) -> Response:
        response = await call_next(request)
        response.headers["x-stamp"] = "stamped"
        return response


async def hello(request: Request) -> Response:
    return JSONResponse({"hello": request.query_params.get("name", "you"), "began": began})


async def echo(request: Request) -> Response:
    body = await request.body()
    return Response(body, media_type=request.headers.get("content-type"), status_code=201)


async def words(request: Request) -> Response:
    async def said() -> AsyncIterator[str]:
        for word in ("one", "two", "three"):
            yield word + "\n"

    return StreamingResponse(said(), media_type="text/plain")


async def fail(request: Request) -> Response:
    raise ValueError("The page is broken.")


async def item(request: Request) -> Response:
    return PlainTextResponse(request.path_params["item"])


app = Starlette(
    lifespan=lifespan,
    middleware=[Middleware(Stamp)],
    routes=[
        Route("/hello", hello),
        Route("/echo", echo, methods=["POST", "PUT"]),
        Route("/words", words),
        Route("/fail", fail),
        Mount("/items", routes=[Route("/{item:path}", item, methods=["GET", "DELETE"])]),
    ],
)
