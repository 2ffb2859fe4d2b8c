"""Calls tools of an MCP server by the Python clients that people use, and tells what they were answered.

Its argument is the generation of the official SDK that is installed: 1 or 2.

Reads {"url", "headers", "calls": [{"tool", "given"}]} from standard input and writes one JSON line an answer:
{"client", "at", "is_error", "structured", "text"}, `at` being the place of the call in the list.
"""

import asyncio
import json
import sys
from contextlib import AsyncExitStack

AT_ONCE = 8


def tell(client, at, is_error, structured, text):
    print(json.dumps({"client": client, "at": at, "is_error": is_error, "structured": structured, "text": text}))


async def every(calls, call):
    """Calls all of them, a few at a time."""
    places = asyncio.Semaphore(AT_ONCE)

    async def one(at, tool, given):
        async with places:
            await call(at, tool, given)

    await asyncio.gather(*(one(at, wanted["tool"], wanted["given"]) for at, wanted in enumerate(calls)))


def texts(content):
    return next((part.text for part in content if part.type == "text"), "")


async def official(name, mode, asked):
    import httpx2
    from mcp.client import Client
    from mcp.client.streamable_http import streamable_http_client

    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(httpx2.AsyncClient(headers=asked["headers"], timeout=60))
        transport = streamable_http_client(asked["url"], http_client=http)
        client = await stack.enter_async_context(Client(transport, mode=mode))
        await client.list_tools()

        async def call(at, tool, given):
            if mode == "legacy" and not asked["calls"][at]["as_published"]:
                return
            answer = await client.call_tool(tool, given)
            tell(name, at, bool(answer.is_error), answer.structured_content, texts(answer.content))

        await every(asked["calls"], call)


async def fast(asked):
    from fastmcp import Client
    from fastmcp.client.transports import StreamableHttpTransport

    transport = StreamableHttpTransport(asked["url"], headers=asked["headers"])
    async with Client(transport) as client:
        await client.list_tools()

        async def call(at, tool, given):
            answer = await client.call_tool(tool, given or {}, raise_on_error=False)
            tell("fastmcp", at, bool(answer.is_error), answer.structured_content, texts(answer.content))

        await every(asked["calls"], call)


async def first(asked):
    from mcp import ClientSession
    from mcp.client.streamable_http import streamablehttp_client

    async with AsyncExitStack() as stack:
        opened = streamablehttp_client(asked["url"], headers=asked["headers"])
        read, write, _ = await stack.enter_async_context(opened)
        session = await stack.enter_async_context(ClientSession(read, write))
        await session.initialize()
        await session.list_tools()

        async def call(at, tool, given):
            answer = await session.call_tool(tool, given)
            tell("mcp 1.x", at, bool(answer.isError), answer.structuredContent, texts(answer.content))

        await every(asked["calls"], call)


async def langchain(asked):
    """Models of LangChain send values as they are published; it refuses others itself."""
    from langchain_mcp_adapters.client import MultiServerMCPClient

    server = {"transport": "streamable_http", "url": asked["url"], "headers": asked["headers"]}
    tools = {tool.name: tool for tool in await MultiServerMCPClient({"roadstead": server}).get_tools()}

    async def call(at, tool, given):
        if not asked["calls"][at]["as_published"]:
            return
        message = await tools[tool].ainvoke({"type": "tool_call", "id": str(at), "name": tool, "args": given})
        structured = (message.artifact or {}).get("structured_content")
        content = message.content
        text = content if isinstance(content, str) else next((p["text"] for p in content if p["type"] == "text"), "")
        tell("langchain-mcp-adapters", at, message.status == "error", structured, text)

    await every(asked["calls"], call)


async def main():
    asked = json.load(sys.stdin)
    if sys.argv[1] == "1":
        await first(asked)
        await langchain(asked)
    else:
        await official("mcp 2.x, 2026-07-28", "2026-07-28", asked)
        await official("mcp 2.x, 2025", "legacy", asked)
        await fast(asked)


asyncio.run(main())
