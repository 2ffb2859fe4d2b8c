"""Says hello, echoes what it gets, asks its own deployment, and has nothing anywhere else."""

from langgraph_sdk import get_client
from starlette.applications import Starlette
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route


async def hello(request):
    return JSONResponse({"hello": request.query_params.get("name", "world")})


async def echo(request):
    return StreamingResponse(request.stream(), media_type="text/plain")


async def own(request):
    return JSONResponse(await get_client().http.get("/info"))


app = Starlette(
    routes=[
        Route("/hello", hello),
        Route("/echo", echo, methods=["POST"]),
        Route("/own", own),
    ]
)
