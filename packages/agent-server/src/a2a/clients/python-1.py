"""The official client of Python, version 1: what it does in one conversation with each agent, as one line of JSON a step."""

import asyncio
import json
import os
import urllib.request
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types.a2a_pb2 import (
    GetExtendedAgentCardRequest,
    GetTaskRequest,
    Message,
    Part,
    Role,
    SendMessageRequest,
    SubscribeToTaskRequest,
    TaskState,
)
from a2a.utils.signing import InvalidSignaturesError, create_signature_verifier
from jwt import PyJWK

BASE = os.environ["AGENT"]
VERSION = os.environ["VERSION"]
HEADERS = {"X-Api-Key": os.environ["KEY"]}


def tell(step, value):
    print(json.dumps([step, value]), flush=True)


def key_of(kid, jku):
    keys = json.load(urllib.request.urlopen(jku))["keys"]
    return PyJWK(next(key for key in keys if key["kid"] == kid))


def request(*parts, **more):
    message = Message(message_id=str(uuid.uuid4()), role=Role.ROLE_USER, parts=list(parts), **more)
    return SendMessageRequest(message=message)


def text_of(parts):
    return "".join(part.text for part in parts)


async def told(client, asked):
    """The last task or message that a call brings, and the kinds of all it brings."""
    kinds, task, pieces = [], None, ""
    async for event in client.send_message(asked):
        kind = event.WhichOneof("payload")
        kinds.append(kind)
        if kind == "task":
            task = event.task
        elif kind == "status_update":
            task.status.CopyFrom(event.status_update.status)
        elif kind == "artifact_update":
            pieces += text_of(event.artifact_update.artifact.parts)
    return task, kinds, pieces


async def card_of(http, graph, **more):
    resolver = A2ACardResolver(http, f"{BASE}/a2a/{graph}")
    headers = {} if VERSION == "" else {"A2A-Version": VERSION}
    return await resolver.get_agent_card(http_kwargs={"headers": {**HEADERS, **headers}}, **more)


async def main():
    async with httpx.AsyncClient(headers=HEADERS, timeout=30) as http:
        verify = create_signature_verifier(key_of, ["ES256"])
        card = await card_of(http, "echo", signature_verifier=verify)
        tell("card", [card.name, len(card.skills), sorted(card.security_schemes)])
        card.name = "Somebody else"
        try:
            verify(card)
        except InvalidSignaturesError:
            tell("forged", "refused")

        def client_of(one, streaming):
            return ClientFactory(ClientConfig(httpx_client=http, streaming=streaming)).create(one)

        client = client_of(await card_of(http, "echo"), False)
        task, _, _ = await told(client, request(Part(text="Hi")))
        tell("sent", [TaskState.Name(task.status.state), text_of(task.artifacts[0].parts)])
        read = await client.get_task(GetTaskRequest(id=task.id))
        tell("read", [read.id == task.id, text_of(read.artifacts[0].parts)])
        extended = await client.get_extended_agent_card(GetExtendedAgentCardRequest())
        tell("extended", extended.description)

        streaming = client_of(await card_of(http, "echo"), True)
        _, kinds, pieces = await told(streaming, request(Part(text="Hi")))
        tell("streamed", [kinds[0], kinds[-1], pieces])

        picture = client_of(await card_of(http, "picture"), False)
        sent = Part(raw=b"hi", media_type="image/png", filename="a.png")
        task, _, _ = await told(picture, request(Part(text="Look"), sent))
        [shown] = task.artifacts[0].parts
        tell("file", [shown.raw.decode(), shown.media_type, shown.filename])

        asking = client_of(await card_of(http, "ask"), False)
        asked, _, _ = await told(asking, request(Part(text="hi")))
        answer = request(Part(text="Ada"), task_id=asked.id, context_id=asked.context_id)
        task, _, _ = await told(asking, answer)
        tell("asked", [TaskState.Name(asked.status.state), text_of(task.artifacts[0].parts)])

        try:
            await client.get_task(GetTaskRequest(id="none"))
        except Exception as error:
            tell("unknown", type(error).__name__)
        try:
            async for _ in streaming.subscribe(SubscribeToTaskRequest(id="none")):
                pass
        except Exception as error:
            tell("unknown stream", type(error).__name__)


asyncio.run(main())
