"""Functions of the project that may be asynchronous or not."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any


async def call(work: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """One that may block runs in a thread of its own."""
    if inspect.iscoroutinefunction(work) or inspect.iscoroutinefunction(type(work).__call__):
        return await work(*given, **named)
    said = await asyncio.to_thread(work, *given, **named)
    return await said if inspect.isawaitable(said) else said
