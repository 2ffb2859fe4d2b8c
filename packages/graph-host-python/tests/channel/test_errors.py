"""Errors as they travel."""

from __future__ import annotations

import pytest

from roadstead_host.channel.errors import host_error_of


class Exiting(Exception):
    def __str__(self) -> str:
        raise SystemExit(3)


def test_when_an_error_exits_as_it_is_read_then_it_is_an_error_without_words() -> None:
    assert host_error_of(Exiting()) == {"name": "Error", "message": "What was raised can’t be read."}


# The same in TypeScript: packages/contracts/src/host/peer.test.ts.
@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("plain", "plain"),
        (
            "  1 error for State\nfield\r\n  must be a number\n\n",
            "1 error for State | field | must be a number",
        ),
        ("one\u2028two\u0085three\vfour", "one | two | three | four"),
        ("x\n" * 5000, "x | " * 500),
    ],
)
def test_when_a_message_has_many_lines_then_they_are_one(message: str, expected: str) -> None:
    assert host_error_of(ValueError(message))["message"] == expected
