"""Runs that are traced to a second project, as the answer to an example there."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any

# Where traces go, as the tracing client finds it; read before user code may change it.
_TRACING, _OWN_PROJECT = map(os.environ.get, ("LANGSMITH_TRACING", "LANGSMITH_PROJECT"))


def traced_to_both(params: Mapping[str, Any]) -> AbstractContextManager[Any]:
    """
    Within it a run is traced to the project that its request names and to the deployment's own. In the named
    project runs have ids of their own. An SDK that can't do so ends no run.
    """
    traced_to = params.get("traced_to")
    if traced_to is None or _TRACING != "true" or not _OWN_PROJECT:
        return nullcontext()
    project, example_id = traced_to["project_name"], traced_to.get("example_id")
    if project == _OWN_PROJECT and example_id is None:
        return nullcontext()
    updates = {} if example_id is None else {"updates": {"reference_example_id": example_id}}
    replicas: list[Any] = [{"project_name": project, **updates}]
    if project != _OWN_PROJECT:
        replicas.append({"project_name": _OWN_PROJECT})
    try:
        from langsmith.run_helpers import tracing_context

        return tracing_context(replicas=replicas)
    except Exception as error:
        print(f"Run {params['run_id']} is traced to the deployment's project alone: {error}", file=sys.stderr)
        return nullcontext()
