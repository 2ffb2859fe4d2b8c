"""The deployment's own rules of access, as handlers write them."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from langgraph_sdk import Auth
from starlette.exceptions import HTTPException
from starlette.requests import Request

from roadstead_host.channel.errors import LoadError
from roadstead_host.project.auth import LoadedAuth, create_auth

WHO = "auth (./auth.py:auth)"
FAILED = {"status": 500, "message": "The deployment’s own auth failed."}
THREAD = "01a222a0-8b3d-71f0-bb83-783a3eb7557e"


def head(token: str | None = None, url: str = "/threads/search?x=1&x=%20") -> dict[str, Any]:
    headers = [] if token is None else [("Authorization", token), ("X-More", "ü")]
    return {"method": "POST", "url": url, "headers": headers}


def answered(auth: LoadedAuth, token: str | None = None) -> Any:
    return asyncio.run(auth.authenticate(head(token)))


def auth_of(authenticate: Any) -> Auth:
    auth = Auth()
    auth.authenticate(authenticate)
    return auth


def refused_with(said: Any) -> Any:
    async def authenticate() -> Any:
        if isinstance(said, BaseException):
            raise said
        return said

    return answered(create_auth(auth_of(authenticate), WHO)).get("refused")


def user_of(said: Any) -> Any:
    return answered(create_auth(auth_of(lambda: said), WHO))["user"]


def test_when_authenticate_asks_for_parts_of_a_request_then_it_gets_them_by_name() -> None:
    seen: dict[str, Any] = {}

    async def authenticate(  # noqa: PLR0913, PLR0917 -- all that there is
        request: Request,
        path: str,
        method: str,
        query_params: Any,
        headers: dict[bytes, bytes],
        authorization: str | None,
        path_params: Any,
        body: Any,
        scopes: Any,
        own: int = 7,
        **more: Any,
    ) -> str:
        seen.update(locals())
        return "ali"

    answered(create_auth(auth_of(authenticate), WHO), "Bearer x")
    assert seen["request"].headers["authorization"] == "Bearer x"
    assert str(seen["request"].url) == "http://localhost/threads/search?x=1&x=%20"
    assert (seen["path"], seen["method"], seen["query_params"]["x"]) == ("/threads/search", "POST", " ")
    assert seen["headers"] == {b"authorization": b"Bearer x", b"x-more": "ü".encode("latin-1")}
    assert (seen["authorization"], seen["path_params"], seen["body"], seen["scopes"]) == (
        "Bearer x",
        {},
        None,
        [],
    )
    assert (seen["own"], seen["more"]) == (7, {})


def test_when_authenticate_blocks_then_it_runs_in_a_thread_of_its_own() -> None:
    assert user_of_thread() != threading.current_thread().name


def user_of_thread() -> Any:
    auth = auth_of(lambda authorization: threading.current_thread().name)
    return answered(create_auth(auth, WHO))["user"]["identity"]


@dataclass
class Person:
    identity: str
    permissions: tuple[str, ...] = ()
    team: str = "red"


class Slotted:
    __slots__ = ("identity",)

    def __init__(self) -> None:
        self.identity = "slots"


@pytest.mark.parametrize(
    ("said", "user"),
    [
        ("bob", {"identity": "bob", "display_name": "bob", "permissions": [], "is_authenticated": True}),
        (
            {"identity": "ali", "permissions": ["read", 7], "team": "red"},
            {"permissions": ["read"], "team": "red"},
        ),
        ({"identity": 7, "display_name": "Seven"}, {"identity": "7", "display_name": "Seven"}),
        ({"identity": UUID(THREAD), "since": UUID(THREAD)}, {"identity": THREAD, "since": THREAD}),
        (Person("ada", ("write",)), {"identity": "ada", "permissions": ["write"], "team": "red"}),
        (Slotted(), {"identity": "slots"}),
        (SimpleNamespace(identity="ns", _secret="x"), {"identity": "ns"}),
        ((["p"], {"identity": "pair"}), {"identity": "pair", "permissions": ["p"]}),
    ],
)
def test_when_authenticate_names_somebody_then_that_is_the_user(said: Any, user: dict[str, Any]) -> None:
    found = user_of(said)
    assert {name: found[name] for name in user} == user
    assert "_secret" not in found


@pytest.mark.parametrize(
    ("said", "refusal"),
    [
        (None, {"status": 401, "message": "Unauthorized"}),
        ("", {"status": 401, "message": "Unauthorized"}),
        ({"identity": "away", "is_authenticated": False}, {"status": 401, "message": "Unauthorized"}),
        ({"identity": ""}, FAILED),
        ({"name": "nobody"}, FAILED),
        (True, FAILED),
        (RuntimeError("no luck with the secret"), FAILED),
        (AssertionError("no token"), {"status": 401, "message": "no token"}),
        (AssertionError(), {"status": 401, "message": "Unauthorized"}),
        (
            Auth.exceptions.HTTPException(status_code=429, detail="Later", headers={"Retry-After": "7"}),
            {"status": 429, "message": "Later", "headers": {"Retry-After": "7"}},
        ),
        (HTTPException(418, "Tea"), {"status": 418, "message": "Tea", "headers": {}}),
        (HTTPException(302, "Elsewhere"), FAILED),
    ],
)
def test_when_authenticate_names_nobody_then_the_caller_is_refused(said: Any, refusal: Any) -> None:
    assert refused_with(said) == refusal


def test_when_a_handler_fails_then_the_log_alone_has_the_error(capsys: Any) -> None:
    refused_with(RuntimeError("no luck with the secret"))
    assert f"{WHO}: authenticate failed: Traceback" in (log := capsys.readouterr().err)
    assert "RuntimeError: no luck with the secret" in log


@pytest.mark.parametrize(
    ("exported", "words"),
    [
        (object(), "is not an Auth of langgraph_sdk."),
        (Auth(), "has no handler that tells who calls"),
        (auth_of(lambda token: token), 'authenticate takes "token", which is none of request, path'),
    ],
)
def test_when_an_export_cannot_tell_who_calls_then_it_is_refused_in_words(exported: Any, words: str) -> None:
    with pytest.raises(LoadError, match=words) as refused:
        create_auth(exported, WHO)
    assert str(refused.value).startswith(WHO)
