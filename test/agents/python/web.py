"""Says over a WebSocket what it was told, and in which process; ends the process when it is told to."""

import os
import uuid

from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

PROCESS = uuid.uuid4().hex


async def live(websocket: WebSocket) -> None:
    await websocket.accept()
    async for text in websocket.iter_text():
        if text == "end":
            os._exit(3)
        await websocket.send_json(
            {
                "process": PROCESS,
                "to": websocket.path_params["name"],
                "said": text,
                "key": websocket.headers.get("x-api-key"),
            }
        )


app = Starlette(routes=[WebSocketRoute("/live/{name}", live)])
