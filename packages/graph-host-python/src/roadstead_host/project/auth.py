"""The deployment's own rules of access: an `Auth` of `langgraph_sdk`, by its shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..channel.errors import LoadError
from ..http.complaints import complain
from . import auth_rules
from .auth_request import arguments, parameters_of
from .auth_rules import FAILED, FORBIDDEN, UNAUTHORIZED, Answer
from .known_user import known_user
from .user_calls import call


class LoadedAuth:
    def __init__(self, authenticate: Callable[..., Any], handlers: Mapping[str, Any], who: str) -> None:
        # Its part of the manifest.
        self.facts = {"handlers": list(handlers)}
        self._authenticate = authenticate
        self._parameters = parameters_of(authenticate, who)
        self._handlers = handlers
        self._who = who

    async def authenticate(self, head: Mapping[str, Any]) -> Answer:
        """Who calls, as the protocol answers it."""
        try:
            said = await call(self._authenticate, **arguments(self._parameters, head))
            user = auth_rules.user_of(said)
            return {"refused": UNAUTHORIZED} if user is None else {"user": auth_rules.plain(user)}
        except Exception as error:
            refusal = auth_rules.refusal_of(error, UNAUTHORIZED)
            return {"refused": refusal or self._failed("authenticate", error)}

    async def authorize(self, attempt: Mapping[str, Any]) -> Answer:
        """Whether a user may do something, as the protocol answers it."""
        resource, action = attempt["resource"], attempt["action"]
        name = auth_rules.handler_for(self._handlers, resource, action)
        if name is None:
            return {"allowed": True, "filters": None, "value": attempt["value"]}
        try:
            value = auth_rules.value_for_handlers(resource, attempt["value"])
            result = await self._handlers[name](ctx=_context(attempt), value=value)
            answer: Answer = auth_rules.plain(auth_rules.authorized(result, value))
            return answer
        except Exception as error:
            refusal = auth_rules.refusal_of(error, FORBIDDEN)
            if refusal is None:
                refusal = self._failed(f'the handler of "{name}"', error)
            return {"allowed": False, "status": refusal["status"], "message": refusal["message"]}

    def _failed(self, what: str, error: BaseException) -> Answer:
        complain(f"{self._who}: {what} failed", error)
        return dict(FAILED)


def create_auth(exported: Any, who: str) -> LoadedAuth:
    """Raises a sentence that begins with `who` when the export can't tell who calls."""
    by_event, general = getattr(exported, "_handlers", None), getattr(exported, "_global_handlers", None)
    if not isinstance(by_event, dict) or not isinstance(general, list):
        raise LoadError(f"{who} is not an Auth of langgraph_sdk.")
    authenticate = getattr(exported, "_authenticate_handler", None)
    # Without it nobody would be refused.
    if authenticate is None:
        raise LoadError(f'{who} has no handler that tells who calls: decorate one with "authenticate".')
    handlers = {_name(*event): found[-1] for event, found in by_event.items() if found}
    if general:
        handlers["*"] = general[-1]
    return LoadedAuth(authenticate, handlers, who)


def _name(resource: str, action: str) -> str:
    if action == "*":
        return resource
    return f"{resource}:{action}"


def _context(attempt: Mapping[str, Any]) -> Any:
    from langgraph_sdk.auth.types import AuthContext

    user = attempt["user"]
    return AuthContext(
        permissions=list(user.get("permissions", ())),
        user=known_user(user),
        resource=attempt["resource"],
        action=attempt["action"],
    )
