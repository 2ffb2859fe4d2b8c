"""Addresses at which feedback on the trace of a run can be given without a key."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any

# Where traces go, as the tracing client finds it; read before user code may change it.
_NAMES = ("LANGSMITH_TRACING", "LANGSMITH_ENDPOINT", "LANGSMITH_API_KEY", "LANGSMITH_WORKSPACE_ID")
_TRACING, _ENDPOINT, _API_KEY, _WORKSPACE_ID = map(os.environ.get, _NAMES)

# A run ends later by as much as this at most.
_PATIENCE_S = 5.0


async def feedback_links(params: Mapping[str, Any]) -> dict[str, str] | None:
    """
    By what the feedback is called. Asked for here, since only the deployment itself has the key that it
    traces with. None where nobody asked for any, the run is not traced, or they can't be had, which ends no
    run.
    """
    wanted = [*dict.fromkeys(params.get("feedback_keys") or ())]
    if not wanted or _TRACING != "true" or not _ENDPOINT or not _API_KEY:
        return None
    try:
        links = await asyncio.to_thread(
            _ask, f"{_ENDPOINT.rstrip('/')}/feedback/tokens", params["run_id"], wanted
        )
    except Exception as error:
        print(f"Run {params['run_id']} ends without links for feedback: {error}", file=sys.stderr)
        return None
    return dict(zip(wanted, links, strict=False))


def _ask(url: str, run_id: str, wanted: Sequence[str]) -> list[str]:
    headers = {"content-type": "application/json", "x-api-key": _API_KEY or ""}
    if _WORKSPACE_ID:
        headers["x-tenant-id"] = _WORKSPACE_ID
    body = json.dumps([{"run_id": run_id, "feedback_key": key} for key in wanted]).encode()
    request = urllib.request.Request(url, body, headers, method="POST")
    with urllib.request.urlopen(request, timeout=_PATIENCE_S) as answer:
        return [one["url"] for one in json.load(answer)]
