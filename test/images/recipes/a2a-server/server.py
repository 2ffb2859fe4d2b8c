"""An agent made with the A2A SDK for Python, as its users make one: it says again what it hears."""

import os

import uvicorn
from a2a.helpers.proto_helpers import new_text_message
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types.a2a_pb2 import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Role
from starlette.applications import Starlette


class Echo(AgentExecutor):
    async def execute(self, context, event_queue):
        await event_queue.enqueue_event(new_text_message(f"Echo: {context.get_user_input()}", role=Role.ROLE_AGENT))

    async def cancel(self, context, event_queue):
        raise NotImplementedError


card = AgentCard(
    name="Echo of an image",
    description="Says it again",
    version="1.0.0",
    supported_interfaces=[
        AgentInterface(url=os.environ["PUBLIC_URL"], protocol_binding="JSONRPC", protocol_version="1.0")
    ],
    capabilities=AgentCapabilities(streaming=True),
    default_input_modes=["text/plain"],
    default_output_modes=["text/plain"],
    skills=[AgentSkill(id="echo", name="Echo", description="Says it again", tags=["echo"])],
)
handler = DefaultRequestHandler(agent_executor=Echo(), task_store=InMemoryTaskStore(), agent_card=card)
app = Starlette(routes=[*create_agent_card_routes(card), *create_jsonrpc_routes(handler, "/")])
uvicorn.run(app, host="0.0.0.0", port=int(os.environ["PORT"]))
