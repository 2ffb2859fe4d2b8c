"""Which questions are open."""

from __future__ import annotations

import pytest

from roadstead_host.checkpoints.question_rules import open_interrupts, without_answered

ASKED = ("a", "__interrupt__", ["A?"])
ALSO_ASKED = ("b", "__interrupt__", ["B?"])
ANSWER = ("a", "__resume__", "yes")
WENT_ON = ("a", "messages", ["done"])
ALSO_WENT_ON = ("b", "messages", ["done"])


@pytest.mark.parametrize("is_newest", [True, False])
def test_when_one_task_went_on_then_the_question_of_the_other_is_open(is_newest: bool) -> None:
    writes = [ASKED, ALSO_ASKED, ANSWER, WENT_ON]
    assert without_answered(writes, is_newest=is_newest) == [ALSO_ASKED, ANSWER, WENT_ON]
    assert open_interrupts(writes) == ["B?"]


def test_when_all_tasks_went_on_then_only_an_older_checkpoint_shows_what_was_asked() -> None:
    writes = [ASKED, ALSO_ASKED, WENT_ON, ALSO_WENT_ON]
    assert without_answered(writes, is_newest=True) == [WENT_ON, ALSO_WENT_ON]
    assert without_answered(writes, is_newest=False) == writes
    assert open_interrupts(writes) == []


def test_when_a_task_is_answered_and_did_not_go_on_then_its_question_is_open() -> None:
    writes = [ASKED, ANSWER]
    assert without_answered(writes, is_newest=True) == writes
    assert open_interrupts(writes) == ["A?"]
