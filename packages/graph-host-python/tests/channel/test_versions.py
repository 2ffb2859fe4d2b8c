"""Which version both sides speak."""

from __future__ import annotations

import pytest

from roadstead_host.channel.versions import NoSharedVersionError, check_shared_version


@pytest.mark.parametrize(
    ("ours", "theirs", "version"),
    [((1,), None, 1), ((1,), (1,), 1), ((1, 2, 3), (2, 1), 2), ((3, 1), (3, 1), 3)],
)
def test_when_both_sides_speak_some_then_the_newest_is_taken(
    ours: tuple[int, ...], theirs: tuple[int, ...] | None, version: int
) -> None:
    assert check_shared_version(theirs, ours) == version


@pytest.mark.parametrize("theirs", [(2,), ()])
def test_when_no_version_is_shared_then_the_error_names_both_lists(theirs: tuple[int, ...]) -> None:
    with pytest.raises(NoSharedVersionError, match=r"speaks version 1 .* engine (version 2|no version)"):
        check_shared_version(theirs)
