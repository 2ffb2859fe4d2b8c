"""The A2A client for Python: it finds the card at an address, and says a word to the agent that it names."""

import asyncio
import json
import os
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.types.a2a_pb2 import Message, Part, Role, SendMessageRequest


async def main():
    async with httpx.AsyncClient(headers={"X-Api-Key": os.environ["KEY"]}, timeout=30) as http:
        card = await A2ACardResolver(http, os.environ["AGENT"]).get_agent_card()
        told = [card.name, card.supported_interfaces[0].url]
        for streaming in [False, True]:
            client = ClientFactory(ClientConfig(httpx_client=http, streaming=streaming)).create(card)
            parts = [Part(text="Hi")]
            message = Message(message_id=str(uuid.uuid4()), role=Role.ROLE_USER, parts=parts)
            async for event in client.send_message(SendMessageRequest(message=message)):
                told.append("".join(part.text for part in event.message.parts))
        print(json.dumps(told))


asyncio.run(main())
