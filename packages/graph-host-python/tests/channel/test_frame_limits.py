"""What a frame may hold, counted before it goes out."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from roadstead_host.channel import frame_limits
from roadstead_host.channel.frames import encode_frame


def nested(levels: int) -> Any:
    value: Any = "x" * frame_limits.LARGE_HEAD_BYTES
    for _ in range(levels):
        value = [value]
    return value


# The head itself is a level, with three keys.
@pytest.mark.parametrize(
    ("value", "beyond"),
    [
        ({str(key): 0 for key in range(999_997)}, None),
        ({str(key): 0 for key in range(999_998)}, "more than 1000000 keys"),
        ([0] * 5_000_000, "more than 5000000 values"),
        (nested(639), None),
        (nested(640), "more than 640 levels"),
        ({"k" * 1_048_575: 0}, None),
        ({"k" * 1_048_576: 0}, "a key of more than 1048576 bytes"),
        (["k" * 1_048_576, '":\\'], None),
    ],
)
def test_when_a_frame_holds_too_much_then_it_is_not_written(value: Any, beyond: str | None) -> None:
    if beyond is None:
        assert encode_frame({"id": 1, "method": "m"}, ("params", value))
        return
    with pytest.raises(ValueError, match=f"^A frame with {beyond} is above the limit$"):
        encode_frame({"id": 1, "method": "m"}, ("params", value))


def test_when_a_frame_has_too_many_blobs_then_it_is_not_written() -> None:
    with pytest.raises(ValueError, match="more than 100000 blobs"):
        encode_frame({"method": "m"}, ("params", {}), [b""] * 100_001)


def test_when_a_text_is_counted_then_its_values_keys_and_levels_are_those_of_its_reader(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chance = random.Random(3)
    for _ in range(300):
        value = drawn(chance, 4)
        counts = counted(value)
        head = json.dumps(value, separators=(",", ":")).encode()
        for at, name in enumerate(("MAX_VALUES", "MAX_KEYS", "MAX_DEPTH")):
            with monkeypatch.context() as patch:
                patch.setattr(frame_limits, name, counts[at])
                frame_limits.check_head_size(head)
                patch.setattr(frame_limits, name, counts[at] - 1)
                if counts[at] > 0 and (name != "MAX_DEPTH" or counts[at] > 1):
                    with pytest.raises(ValueError, match="above the limit"):
                        frame_limits.check_head_size(head)


def drawn(chance: random.Random, levels: int) -> Any:
    kind = chance.randrange(4 if levels > 0 else 2)
    if kind == 0:
        return chance.choice(["", '"', "\\", '\\"', ":", "[{,]}", 'a\\":{'])
    if kind == 1:
        return chance.choice([0, None, True, -1.5])
    parts = [drawn(chance, levels - 1) for _ in range(chance.randrange(4))]
    return parts if kind == 2 else {f'{at}"\\:{{,': part for at, part in enumerate(parts)}


def counted(value: Any) -> tuple[int, int, int]:
    """Values, keys and levels."""
    parts = [*value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    inner = [counted(part) for part in parts]
    keys = len(value) if isinstance(value, dict) else 0
    levels = 1 if isinstance(value, (dict, list)) else 0
    return (
        1 + sum(one[0] for one in inner),
        keys + sum(one[1] for one in inner),
        levels + max((one[2] for one in inner), default=0),
    )
