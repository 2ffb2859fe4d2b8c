"""Has a model use the tools of an MCP server by Google's SDK, as its users do: the session itself is among the tools.

Reads {"url", "headers"} from standard input and writes {"declared", "answered"}: the names of the tools that reached the
model, and what the tool that it called answered. The model is a server of this process that calls list_projects.
"""

import asyncio
import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

from google import genai
from google.genai import types
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

told = {"declared": [], "answered": None}


class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        responses = [
            part["functionResponse"] for content in asked["contents"] for part in content["parts"] if "functionResponse" in part
        ]
        if responses:
            told["answered"] = responses[0]["response"]
            part = {"text": "done"}
        else:
            told["declared"] = [one["name"] for tool in asked["tools"] for one in tool["functionDeclarations"]]
            part = {"functionCall": {"name": "list_projects", "args": {"limit": 1}}}
        body = json.dumps({"candidates": [{"content": {"role": "model", "parts": [part]}}]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


async def main():
    asked = json.load(sys.stdin)
    server = HTTPServer(("127.0.0.1", 0), Model)
    Thread(target=server.serve_forever, daemon=True).start()
    options = types.HttpOptions(base_url=f"http://127.0.0.1:{server.server_port}")
    client = genai.Client(api_key="none", http_options=options)
    async with streamablehttp_client(asked["url"], headers=asked["headers"]) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            await client.aio.models.generate_content(
                model="any",
                contents="Which projects are there?",
                config={"tools": [session]},
            )
    print(json.dumps(told, default=str))


asyncio.run(main())
