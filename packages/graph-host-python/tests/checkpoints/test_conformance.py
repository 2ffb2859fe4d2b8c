"""The saver, held to LangGraph's own suite for savers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from roadstead_host.checkpoints.saver import EngineSaver
from roadstead_host.checkpoints.serde import create_serde
from support.engine_double import EngineDouble

conformance = pytest.importorskip("langgraph.checkpoint.conformance")


def test_when_langgraphs_own_suite_runs_then_the_saver_has_all_that_savers_must() -> None:
    async def open_saver() -> AsyncGenerator[EngineSaver, None]:
        double = EngineDouble()
        yield EngineSaver(double.peer, create_serde())
        double.close()

    registered = conformance.checkpointer_test(
        name="the graph host's saver", skip_capabilities={"delete_for_runs", "copy_thread", "prune"}
    )(open_saver)
    report = asyncio.run(conformance.validate(registered))
    results = {name: one for name, one in report.results.items() if one.detected}
    assert {name: one.failures for name, one in results.items() if not one.passed} == {}
    assert set(results) == {"put", "put_writes", "get_tuple", "list", "delete_thread"}
    assert sum(one.tests_passed for one in results.values()) > 30
