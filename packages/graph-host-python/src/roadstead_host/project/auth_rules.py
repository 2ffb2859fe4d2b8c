"""Reads what the handlers of an `Auth` return and raise, as the LangGraph API does."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

Answer = dict[str, Any]

UNAUTHORIZED = {"status": 401, "message": "Unauthorized"}
FORBIDDEN = {"status": 403, "message": "Forbidden"}
# Answered where a handler fails; what it raised stands in the deployment's log.
FAILED = {"status": 500, "message": "The deployment’s own auth failed."}

_MOST_EXACT_FIRST = ("{resource}:{action}", "{resource}", "*:{action}", "*")
_IDS = ("thread_id", "assistant_id", "run_id", "cron_id")
_NAMESPACES = ("namespace", "suffix")
_FIELDS = ("identity", "permissions", "display_name", "is_authenticated")


def handler_for(names: Mapping[str, Any], resource: str, action: str) -> str | None:
    """The name of the handler that decides, among those there are: the most exact one."""
    asked = (form.format(resource=resource, action=action) for form in _MOST_EXACT_FIRST)
    return next((name for name in asked if name in names), None)


def user_of(said: Any) -> Answer | None:
    """Whom the answer of `authenticate` names; nothing where it names nobody."""
    if isinstance(said, tuple) and len(said) == 2:
        permissions, user = said
        named = user_of(user)
        return named and {**named, "permissions": _texts(permissions)}
    if said is None or said is False or said == "":
        return None
    fields = _fields_of(said)
    if fields.get("is_authenticated") is False:
        return None
    identity = fields.get("identity")
    if isinstance(identity, (int, UUID)) and not isinstance(identity, bool):
        identity = str(identity)
    if not isinstance(identity, str) or not identity:
        raise ValueError("authenticate must return a text, or an object whose `identity` is a text.")
    display_name = fields.get("display_name")
    return {
        **fields,
        "identity": identity,
        "permissions": _texts(fields.get("permissions")),
        "is_authenticated": True,
        "display_name": display_name if isinstance(display_name, str) else identity,
    }


def _fields_of(said: Any) -> dict[str, Any]:
    if isinstance(said, str):
        return {"identity": said}
    if isinstance(said, Mapping):
        return dict(said)
    if callable(getattr(said, "model_dump", None)):
        return dict(said.model_dump())
    own = vars(said) if hasattr(said, "__dict__") else {}
    public = {name: value for name, value in own.items() if not name.startswith("_")}
    told = {name: getattr(said, name) for name in _FIELDS if hasattr(said, name)}
    return {**public, **told}


def _texts(permissions: Any) -> list[str]:
    if not isinstance(permissions, Sequence | set | frozenset) or isinstance(permissions, str):
        return []
    return [one for one in permissions if isinstance(one, str)]


def authorized(result: Any, value: Any) -> Answer:
    """Reads what a handler's answer means for the request. Raises where it means nothing."""
    if result is None or result is True:
        return {"allowed": True, "filters": None, "value": value}
    if result is False:
        return {"allowed": False, **FORBIDDEN}
    if not isinstance(result, Mapping):
        raise ValueError("A handler must return True, False, nothing or a dict of filters.")
    for field, condition in result.items():
        _check_filter(field, condition)
    return {"allowed": True, "filters": dict(result), "value": value}


def _check_filter(field: Any, condition: Any) -> None:
    """A filter that can't be applied must not let anything through."""
    if not isinstance(field, str):
        raise ValueError("The names of filters must be texts.")
    if _is_scalar(condition):
        return
    if isinstance(condition, Mapping) and len(condition) == 1:
        [(operator, operand)] = condition.items()
        if operator in ("$eq", "$contains") and _is_scalar(operand):
            return
        if operator == "$contains" and isinstance(operand, list) and all(map(_is_scalar, operand)):
            return
    raise ValueError(
        f'The filter of "{field}" must be a text, a number, a boolean, {{$eq}} or {{$contains}}.'
    )


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (str, int, UUID)) or (isinstance(value, float) and math.isfinite(value))


def refusal_of(raised: BaseException, unless_told: Mapping[str, Any]) -> Answer | None:
    """An HTTPException of the SDK or of a framework, by its shape; a failed `assert` refuses, too."""
    if isinstance(raised, AssertionError):
        return {**unless_told, "message": str(raised) or unless_told["message"]}
    status, detail = getattr(raised, "status_code", None), getattr(raised, "detail", None)
    if not isinstance(status, int) or not 400 <= status <= 599:
        return None
    message = detail if isinstance(detail, str) or not detail else json.dumps(plain(detail))
    headers = getattr(raised, "headers", None) or {}
    return {
        "status": status,
        "message": message or "Not allowed",
        "headers": {str(name): str(value) for name, value in dict(headers).items()},
    }


def value_for_handlers(resource: str, value: Any) -> Any:
    """The value of a question, in the types that handlers are documented to get."""
    if not isinstance(value, Mapping):
        return value
    given = dict(value)
    for name in _IDS:
        if name in given:
            given[name] = _uuid_in(given[name])
    if isinstance(given.get("ids"), list):
        given["ids"] = [_uuid_in(one) for one in given["ids"]]
    for name in _NAMESPACES if resource == "store" else ():
        if isinstance(given.get(name), list):
            given[name] = tuple(given[name])
    return given


def _uuid_in(text: Any) -> Any:
    try:
        return UUID(text) if isinstance(text, str) else text
    except ValueError:
        return text


def plain(value: Any) -> Any:
    """The value as it travels: what is no JSON becomes a text, or is lost here rather than later."""
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items() if isinstance(name, (str, int))}
    if isinstance(value, Sequence | set | frozenset) and not isinstance(value, (bytes, bytearray)):
        return [plain(one) for one in value]
    if callable(getattr(value, "model_dump", None)):
        return plain(value.model_dump())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain(dataclasses.asdict(value))
    if isinstance(value, UUID) or callable(getattr(value, "isoformat", None)):
        return value.isoformat() if hasattr(value, "isoformat") else str(value)
    return None
