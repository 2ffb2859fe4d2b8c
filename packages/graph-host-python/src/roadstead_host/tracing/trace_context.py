"""The trace of the call that asked for a run, for projects that trace with OpenTelemetry."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def within_trace(traceparent: str | None) -> Iterator[None]:
    """Spans of the project, and the requests that it makes, continue that trace."""
    # A project that has not imported it has no spans.
    if traceparent is None or "opentelemetry.context" not in sys.modules:
        yield
        return
    from opentelemetry import context
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    token = context.attach(TraceContextTextMapPropagator().extract({"traceparent": traceparent}))
    try:
        yield
    finally:
        context.detach(token)
