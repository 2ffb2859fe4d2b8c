"""Talks over WebSockets: echoes, closes as it is told, sends without end, and refuses."""

import asyncio

from fastapi import FastAPI, WebSocket, WebSocketDisconnect
from pydantic import BaseModel
from starlette.responses import PlainTextResponse, Response


class Passing:
    """Middleware that changes nothing."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        await self.app(scope, receive, send)


class Thread(BaseModel):
    """It is called like one of the deployment's own schemas."""

    stars: int


app = FastAPI()
app.add_middleware(Passing)
seen = {"sent": 0, "ended": []}


@app.get("/seen")
async def tell_seen():
    return seen


@app.post("/rated/{thread_id}")
async def rate(thread_id: str, thread: Thread) -> Thread:
    return thread


@app.websocket("/live/{name}")
async def live(websocket: WebSocket, name: str, word: str = ""):
    await websocket.accept("chat" if "chat" in websocket.scope["subprotocols"] else None)
    head = {key: websocket.headers.get(key) for key in ("x-api-key", "x-forwarded-prefix", "x-mine")}
    await websocket.send_json({"name": name, "word": word, "url": str(websocket.url), **head})
    try:
        while True:
            message = await websocket.receive()
            if message["type"] == "websocket.disconnect":
                seen["ended"].append(message["code"])
                return
            if message.get("text") == "close":
                await websocket.close(4001, "as you like")
            elif message.get("text") is not None:
                await websocket.send_text(message["text"])
            else:
                await websocket.send_bytes(message["bytes"])
    except WebSocketDisconnect as gone:
        seen["ended"].append(gone.code)


@app.websocket("/endless")
async def endless(websocket: WebSocket):
    await websocket.accept()
    while True:
        await websocket.send_bytes(b"x" * 65_536)
        seen["sent"] += 65_536
        await asyncio.sleep(0)


@app.websocket("/closed")
async def closed(websocket: WebSocket):
    await websocket.send_denial_response(PlainTextResponse("not today", 418))


@app.websocket("/answered/{status}")
async def answered(websocket: WebSocket, status: int):
    await websocket.send_denial_response(Response(status_code=status))


@app.websocket("/silent")
async def silent(websocket: WebSocket):
    await websocket.close()
