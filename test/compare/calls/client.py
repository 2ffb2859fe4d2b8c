"""Makes the calls of scenarios by `langgraph-sdk`: reads scenarios and writes answers, both as JSON."""

import asyncio
import json
import re
import sys
import time

import httpx
from langgraph_sdk import get_client

SHOWN = ["content-type", "location", "content-location", "x-stamp", "allow", "x-pagination-total"]


def find(kept, path):
    found = kept
    for name in path.split("."):
        if isinstance(found, list):
            found = found[int(name)] if int(name) < len(found) else None
        else:
            found = found.get(name) if isinstance(found, dict) else None
    return found


def fill(kept, value):
    if isinstance(value, str) and value.startswith("$"):
        return find(kept, value[1:])
    if isinstance(value, list):
        return [fill(kept, one) for one in value]
    if isinstance(value, dict):
        return {name: fill(kept, one) for name, one in value.items()}
    return value


async def send(address, scenario, named):
    headers = {"content-type": "application/json", **scenario.get("headers", {})}
    if "key" in address:
        headers["x-api-key"] = address["key"]
    body = named.get("body")
    content = body if body is None or isinstance(body, str) else json.dumps(body)
    async with httpx.AsyncClient(timeout=60) as client:
        answer = await client.request(
            named.get("method", "GET"),
            address["url"] + named["path"],
            content=content,
            headers={**headers, **named.get("headers", {})},
        )
    said = {name: answer.headers[name].split(";")[0] for name in SHOWN if name in answer.headers}
    return {
        "kind": "value",
        "value": {"status": answer.status_code, "headers": said, "body": parsed(answer.text)},
    }


def parsed(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


async def answer_of(client, call, kept, scenario, address):
    named = fill(kept, call.get("with", {}))
    if call["method"] == "http":
        path = re.sub(r"\{([a-z_0-9.]+)\}", lambda found: str(find(kept, found[1])), named["path"])
        return await send(address, scenario, {**named, "path": path})
    part, name = call["method"].split(".")
    try:
        made = getattr(getattr(client, part), name)(*fill(kept, call.get("at", [])), **named)
        if hasattr(made, "__aiter__"):
            return {
                "kind": "stream",
                "events": [{"event": one.event, "data": one.data} async for one in made],
            }
        return {"kind": "value", "value": await made}
    except Exception as error:
        return refusal_of(error)


def refusal_of(error):
    response = getattr(error, "response", None)
    if response is not None:
        body = getattr(error, "body", None)
        try:
            text = response.text
        except httpx.ResponseNotRead:
            text = None
        return {
            "kind": "refused",
            "status": response.status_code,
            "body": body if text is None else parsed(text),
        }
    return {"kind": "failed", "error": f"{type(error).__name__}: {error}"}


async def repeated(call, make):
    end = time.monotonic() + 30
    while True:
        answer = await make()
        if "until" not in call or call["until"] in json.dumps(answer, default=str) or time.monotonic() > end:
            return answer
        await asyncio.sleep(0.1)


async def run(scenario, address):
    client = get_client(url=address["url"], api_key=address.get("key"), headers=scenario.get("headers"))
    kept, answers = {"client": "python"}, []
    for call in scenario["calls"]:
        answer = await repeated(call, lambda call=call: answer_of(client, call, kept, scenario, address))
        if "keep" in call:
            kept[call["keep"]] = answer["value"] if answer["kind"] == "value" else answer
        answers.append(answer)
    return answers


async def main():
    addresses, scenarios = (one := json.load(sys.stdin))["addresses"], one["scenarios"]
    places = asyncio.Semaphore(one["at_once"])

    async def placed(scenario):
        async with places:
            return await run(scenario, addresses[scenario["project"]])

    json.dump(await asyncio.gather(*map(placed, scenarios)), sys.stdout, default=str)


asyncio.run(main())
