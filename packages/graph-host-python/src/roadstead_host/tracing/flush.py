"""Sends the traces that the tracer still holds when the host stops."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor, wait


def flush_traces(within_s: float) -> None:
    """Sends it, as far as that goes within the time. A project that traces nothing has nothing to send."""
    tracers = sys.modules.get("langchain_core.tracers.langchain")
    if tracers is None:
        return
    threads = ThreadPoolExecutor(1, thread_name_prefix="roadstead-flush")
    wait([threads.submit(tracers.wait_for_all_tracers)], within_s)
    threads.shutdown(wait=False)
