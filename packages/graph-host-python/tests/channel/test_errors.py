"""Errors as they travel."""

from __future__ import annotations

from roadstead_host.channel.errors import MAX_MESSAGE, host_error_of


class Exiting(Exception):
    def __str__(self) -> str:
        raise SystemExit(3)


def test_when_an_error_exits_as_it_is_read_then_it_is_an_error_without_words() -> None:
    assert host_error_of(Exiting()) == {"name": "Error", "message": "What was raised can’t be read."}


def test_when_a_message_has_many_lines_then_they_are_one() -> None:
    said = host_error_of(ValueError("1 error for State\nfield\r\n  must be a number\n\n"))["message"]
    assert said == "1 error for State | field | must be a number"
    assert len(host_error_of(ValueError("x\n" * 5000))["message"]) == MAX_MESSAGE
