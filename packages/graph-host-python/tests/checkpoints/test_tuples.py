from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from roadstead_host.channel.json_text import json_bytes
from roadstead_host.checkpoints.tuples import plain_metadata
from roadstead_host.values.json import checked_bytes


class Odd(str):
    pass


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ("text", "text"),
        (1, 1),
        (True, True),
        (None, None),
        ({}, {}),
        ({"a": [1.5]}, {"a": [1.5]}),
        (Odd("odd"), "odd"),
        (float("nan"), "nan"),
        ({"inner": float("inf")}, "{'inner': inf}"),
        (date(2026, 11, 28), "2026-11-28"),
    ],
)
def test_when_metadata_is_made_plain_then_what_json_has_no_place_for_is_a_text(
    value: Any, plain: Any
) -> None:
    made = plain_metadata({"step": 1, "value": value})
    assert made == {"step": 1, "value": plain}
    json.dumps(made, allow_nan=False)


@pytest.mark.parametrize(
    "value",
    [
        {"v": 4, "ts": "2026-11-28T00:00:00+00:00", "channel_versions": {"a": "0" * 31 + "1.0"}},
        {"half": "\ud800", "large": 2**70, "small": -0.5, "nothing": None, "list": [True, {}]},
    ],
)
def test_when_checked_json_is_written_then_it_reads_as_the_protocol_writes_it(value: Any) -> None:
    assert json.loads(checked_bytes(value)) == json.loads(json_bytes(value)) == value
