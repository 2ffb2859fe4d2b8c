"""A channel to a real engine, for which `test/conformance/python-saver.test.ts` gives a descriptor."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from threading import Thread

import pytest

from roadstead_host.channel.peer import Peer


@pytest.fixture(scope="session")
def peer() -> Iterator[Peer]:
    descriptor = os.environ.get("ROADSTEAD_TEST_CHANNEL")
    if descriptor is None:
        pytest.skip("needs an engine: run test/conformance/python-saver.test.ts")
    connection = socket.socket(fileno=int(descriptor))
    connection.setblocking(True)
    opened = Peer(connection, lambda question: question.answer({}))
    reader = Thread(target=opened.serve, daemon=True)
    reader.start()
    yield opened
    connection.shutdown(socket.SHUT_RDWR)
    reader.join(20)


@pytest.fixture(scope="session")
def database() -> str:
    return os.environ["ROADSTEAD_TEST_DATABASE"]
