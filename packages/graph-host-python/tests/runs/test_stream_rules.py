"""What who follows a run sees of its configuration."""

from __future__ import annotations

from roadstead_host.runs.stream_rules import shown_checkpoint


def test_when_a_checkpoint_is_shown_then_what_auth_says_of_the_user_is_left_out() -> None:
    configurable = {
        "thread_id": "t",
        "mine": 1,
        "langgraph_auth_user": {"identity": "ali", "token": "secret"},
        "langgraph_auth_user_id": "ali",
        "langgraph_auth_permissions": ["read"],
    }
    place = {"configurable": configurable}
    shown = shown_checkpoint({"config": place, "parent_config": place, "tasks": []})
    for config in (shown["config"], shown["parent_config"]):
        assert config["configurable"] == {"thread_id": "t", "mine": 1}
    assert "secret" not in str(shown)
