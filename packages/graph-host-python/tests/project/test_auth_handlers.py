"""The handlers of `on`: which one decides, and what its answer means."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

import pytest
from langgraph_sdk import Auth
from langgraph_sdk.auth import is_studio_user

from roadstead_host.project.auth import LoadedAuth, create_auth

WHO = "auth (./auth.py:auth)"
FAILED = {"status": 500, "message": "The deployment’s own auth failed."}
THREAD = "01a222a0-8b3d-71f0-bb83-783a3eb7557e"


def auth_of(authenticate: Any) -> Auth:
    auth = Auth()
    auth.authenticate(authenticate)
    return auth


def ruled(seen: list[Any]) -> LoadedAuth:
    auth = auth_of(lambda: "ali")

    @auth.on
    async def all_of_it(ctx: Any, value: Any) -> Any:
        seen.append(("*", ctx, value))
        return {"owner": ctx.user.identity}

    @auth.on(actions="search")
    async def searches(ctx: Any, value: Any) -> Any:
        seen.append(("*:search", ctx, value))

    @auth.on.threads
    async def threads(ctx: Any, value: Any) -> Any:
        seen.append(("threads", ctx, value))
        value.setdefault("metadata", {})["owner"] = ctx.user["identity"]
        return {"owner": ctx.user.identity, "team": {"$contains": ["a", "b"]}}

    @auth.on.threads.delete
    async def deletes(ctx: Any, value: Any) -> Any:
        return "write" in ctx.permissions

    @auth.on.threads.update
    async def updates(ctx: Any, value: Any) -> Any:
        raise Auth.exceptions.HTTPException(status_code=409, detail="Threads stay as they are")

    @auth.on.threads.read
    async def reads(ctx: Any, value: Any) -> Any:
        raise AssertionError("not yours")

    @auth.on.store
    async def store(ctx: Any, value: Any) -> Any:
        value["namespace"] = (ctx.user.identity, *value["namespace"])

    @auth.on.assistants
    async def assistants(ctx: Any, value: Any) -> Any:
        said = {"create": {"a": {"$regex": "x"}}, "update": "yes", "read": {"a": {}}, "search": {"a": None}}
        if ctx.action == "delete":
            raise RuntimeError("no luck")
        return said[ctx.action]

    return create_auth(auth, WHO)


def decided(resource: str, action: str, value: Any = None, **user: Any) -> tuple[Any, list[Any]]:
    seen: list[Any] = []
    who = {"identity": "ali", "permissions": [], **user}
    attempt = {"user": who, "resource": resource, "action": action, "value": {} if value is None else value}
    return asyncio.run(ruled(seen).authorize(attempt)), seen


def test_when_handlers_are_registered_then_the_manifest_names_them() -> None:
    names = [
        "*:search",
        "threads",
        "threads:delete",
        "threads:update",
        "threads:read",
        "store",
        "assistants",
        "*",
    ]
    assert sorted(ruled([]).facts["handlers"]) == sorted(names)


@pytest.mark.parametrize(
    ("resource", "action", "name"),
    [
        ("threads", "create", "threads"),
        ("threads", "search", "threads"),
        ("crons", "search", "*:search"),
        ("crons", "read", "*"),
    ],
)
def test_when_several_handlers_fit_then_the_most_exact_decides(resource: str, action: str, name: str) -> None:
    _, seen = decided(resource, action)
    assert [one for one, *_ in seen] == [name]


def test_when_a_handler_changes_the_value_then_the_change_counts() -> None:
    answer, seen = decided("threads", "create", {"thread_id": THREAD, "metadata": {"a": 1}})
    assert answer == {
        "allowed": True,
        "filters": {"owner": "ali", "team": {"$contains": ["a", "b"]}},
        "value": {"thread_id": THREAD, "metadata": {"a": 1, "owner": "ali"}},
    }
    assert seen[0][2]["thread_id"] == UUID(THREAD)
    answer, _ = decided("store", "put", {"namespace": ["notes"], "key": "k"})
    assert answer == {"allowed": True, "filters": None, "value": {"namespace": ["ali", "notes"], "key": "k"}}


@pytest.mark.parametrize(
    ("resource", "action", "status", "message"),
    [
        ("threads", "delete", 403, "Forbidden"),
        ("threads", "update", 409, "Threads stay as they are"),
        ("threads", "read", 403, "not yours"),
        ("assistants", "delete", 500, FAILED["message"]),
        ("assistants", "create", 500, FAILED["message"]),
        ("assistants", "update", 500, FAILED["message"]),
        ("assistants", "read", 500, FAILED["message"]),
        ("assistants", "search", 500, FAILED["message"]),
    ],
)
def test_when_a_handler_refuses_or_fails_then_nothing_is_allowed(
    resource: str, action: str, status: int, message: str
) -> None:
    answer, _ = decided(resource, action, {"thread_id": THREAD})
    assert answer == {"allowed": False, "status": status, "message": message}


def test_when_a_user_has_permissions_then_handlers_see_them() -> None:
    assert decided("threads", "delete", permissions=["write"])[0]["allowed"]


def test_when_no_handler_decides_then_everything_is_allowed() -> None:
    auth = create_auth(auth_of(lambda: "ali"), WHO)
    attempt = {"user": {"identity": "ali"}, "resource": "crons", "action": "read", "value": {"a": 1}}
    assert asyncio.run(auth.authorize(attempt)) == {"allowed": True, "filters": None, "value": {"a": 1}}


def test_when_a_member_of_the_workspace_calls_then_handlers_see_a_studio_user() -> None:
    _, [(_, ctx, _)] = decided("crons", "read", kind="StudioUser", identity="langgraph-studio-user")
    assert is_studio_user(ctx.user)
    assert ctx.user.identity == "langgraph-studio-user"
    assert dict(ctx.user) == {"identity": "langgraph-studio-user", "permissions": [], "kind": "StudioUser"}
    _, [(_, ctx, _)] = decided("crons", "read", team="red")
    assert not is_studio_user(ctx.user)
    assert (ctx.user.team, ctx.user["team"], "team" in ctx.user) == ("red", "red", True)
    with pytest.raises(AttributeError):
        _ = ctx.user.nothing
