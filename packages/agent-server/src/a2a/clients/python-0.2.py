"""The official client of Python, version 0.2, which looks for cards elsewhere: one conversation, a line of JSON a step."""

import asyncio
import json
import os
import uuid

import httpx
from a2a.client import A2ACardResolver, A2AClient
from a2a.types import (
    GetTaskRequest,
    Message,
    MessageSendParams,
    Part,
    Role,
    SendMessageRequest,
    SendStreamingMessageRequest,
    TaskQueryParams,
    TextPart,
)

BASE = os.environ["AGENT"]
HEADERS = {"X-Api-Key": os.environ["KEY"]}


def tell(step, value):
    print(json.dumps([step, value]), flush=True)


def said(text, **more):
    part = Part(root=TextPart(text=text))
    message = Message(message_id=str(uuid.uuid4()), role=Role.user, parts=[part], **more)
    return MessageSendParams(message=message)


def text_of(parts):
    return "".join(part.root.text for part in parts)


async def main():
    async with httpx.AsyncClient(headers=HEADERS, timeout=30) as http:
        card = await A2ACardResolver(http, f"{BASE}/a2a/echo").get_agent_card()
        tell("card", [card.name, len(card.skills)])
        client = A2AClient(http, agent_card=card)
        answer = await client.send_message(SendMessageRequest(id="1", params=said("Hi")))
        task = answer.root.result
        tell("sent", [task.status.state.value, text_of(task.artifacts[0].parts)])
        read = await client.get_task(GetTaskRequest(id="2", params=TaskQueryParams(id=task.id)))
        tell("read", read.root.result.id == task.id)
        kinds = []
        async for event in client.send_message_streaming(
            SendStreamingMessageRequest(id="3", params=said("Hi"))
        ):
            kinds.append(event.root.result.kind)
        tell("streamed", [kinds[0], kinds[-1]])
        unknown = await client.get_task(GetTaskRequest(id="4", params=TaskQueryParams(id="none")))
        tell("unknown", unknown.root.error.code)


asyncio.run(main())
