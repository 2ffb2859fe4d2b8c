"""What tests open, and close."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.engine_double import EngineDouble


@pytest.fixture
def double() -> Iterator[EngineDouble]:
    """An engine in memory, at the other end of a real channel."""
    opened = EngineDouble()
    yield opened
    opened.close()
