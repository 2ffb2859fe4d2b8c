"""The official client of Python, version 0.3: what it does in one conversation with each agent, as one line of JSON a step."""

import asyncio
import base64
import json
import os
import urllib.request
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types import (
    FilePart,
    FileWithBytes,
    Message,
    Part,
    Role,
    TaskIdParams,
    TaskQueryParams,
    TextPart,
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


def message(*parts, **more):
    wrapped = [Part(root=part) for part in parts]
    return Message(message_id=str(uuid.uuid4()), role=Role.user, parts=wrapped, **more)


def text_of(parts):
    return "".join(part.root.text for part in parts)


async def told(client, asked):
    """The last task that a call brings, and what of it came as events."""
    task, kinds = None, []
    async for task, event in client.send_message(asked):
        kinds.append("task" if event is None else event.kind)
    return task, kinds


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
        task, _ = await told(client, message(TextPart(text="Hi")))
        tell("sent", [task.status.state.value, text_of(task.artifacts[0].parts)])
        read = await client.get_task(TaskQueryParams(id=task.id))
        tell("read", [read.id == task.id, text_of(read.artifacts[0].parts)])
        extended = await client.get_card()
        tell("extended", extended.description)

        streaming = client_of(await card_of(http, "echo"), True)
        task, kinds = await told(streaming, message(TextPart(text="Hi")))
        tell("streamed", [kinds[0], kinds[-1], text_of(task.artifacts[0].parts)])

        picture = client_of(await card_of(http, "picture"), False)
        file = FileWithBytes(bytes=base64.b64encode(b"hi").decode(), mime_type="image/png", name="a.png")
        task, _ = await told(picture, message(TextPart(text="Look"), FilePart(file=file)))
        [shown] = [part.root.file for part in task.artifacts[0].parts]
        tell("file", [base64.b64decode(shown.bytes).decode(), shown.mime_type, shown.name])

        asking = client_of(await card_of(http, "ask"), False)
        asked, _ = await told(asking, message(TextPart(text="hi")))
        answer = message(TextPart(text="Ada"), task_id=asked.id, context_id=asked.context_id)
        task, _ = await told(asking, answer)
        tell("asked", [asked.status.state.value, text_of(task.artifacts[0].parts)])

        try:
            await client.get_task(TaskQueryParams(id="none"))
        except Exception as error:
            tell("unknown", type(error).__name__)
        try:
            async for _ in streaming.resubscribe(TaskIdParams(id="none")):
                pass
        except Exception as error:
            tell("unknown stream", type(error).__name__)


asyncio.run(main())
