"""Says hello, echoes what it gets, also on a WebSocket, asks its own deployment, and has nothing anywhere else."""

from langgraph_sdk import get_client
from starlette.applications import Starlette
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Route, WebSocketRoute


async def hello(request):
    return JSONResponse({"hello": request.query_params.get("name", "world")})


async def echo(request):
    return StreamingResponse(request.stream(), media_type="text/plain")


async def own(request):
    return JSONResponse(await get_client().http.get("/info"))


async def live(websocket):
    await websocket.accept()
    async for text in websocket.iter_text():
        await websocket.send_text(text)


app = Starlette(
    routes=[
        Route("/hello", hello),
        Route("/echo", echo, methods=["POST"]),
        Route("/own", own),
        WebSocketRoute("/live", live),
    ]
)
