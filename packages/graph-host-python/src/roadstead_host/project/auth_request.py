"""The parts of a request that `authenticate` may ask for, by the names of its parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qsl, unquote

from ..channel.errors import LoadError

Head = Mapping[str, Any]


def _path(head: Head) -> str:
    return unquote(str(head["url"]).partition("?")[0])


def _query(head: Head) -> str:
    return str(head["url"]).partition("?")[2]


def _header_pairs(head: Head) -> list[tuple[bytes, bytes]]:
    return [
        (name.lower().encode("latin-1"), value.encode("latin-1", "replace"))
        for name, value in head["headers"]
    ]


def _authorization(head: Head) -> str | None:
    return next((value for name, value in head["headers"] if name.lower() == "authorization"), None)


def _request(head: Head) -> Any:
    """A request of Starlette's, where the project has that; else a plain object with the same names."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": head["method"],
        "scheme": "http",
        "server": ("localhost", 80),
        "client": None,
        "path": _path(head),
        "raw_path": str(head["url"]).partition("?")[0].encode(),
        "query_string": _query(head).encode(),
        "root_path": "",
        "headers": _header_pairs(head),
        "path_params": {},
    }
    try:
        from starlette.requests import Request
    except ImportError:
        return _plain_request(head, scope)
    return Request(scope, _no_body)


async def _no_body() -> dict[str, Any]:
    return {"type": "http.request", "body": b"", "more_body": False}


def _plain_request(head: Head, scope: Mapping[str, Any]) -> Any:
    return SimpleNamespace(
        scope=scope,
        method=head["method"],
        url=f"http://localhost{head['url']}",
        headers=_Headers((name.lower(), value) for name, value in head["headers"]),
        query_params=_query_params(head),
        path_params={},
    )


class _Headers(dict[str, str]):
    """Found in any case."""

    def __getitem__(self, name: str) -> str:
        return super().__getitem__(name.lower())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and super().__contains__(name.lower())

    def get(self, name: str, default: Any = None) -> Any:
        return super().get(name.lower(), default)


def _query_params(head: Head) -> Mapping[str, str]:
    try:
        from starlette.datastructures import QueryParams
    except ImportError:
        return dict(parse_qsl(_query(head), keep_blank_values=True))
    return QueryParams(_query(head))


_PARAMETERS: Mapping[str, Callable[[Head], Any]] = {
    "request": _request,
    "path": _path,
    "method": lambda head: head["method"],
    "query_params": _query_params,
    "headers": lambda head: dict(_header_pairs(head)),
    "authorization": _authorization,
    # Parts that are known only after a request was routed and read, as in the original.
    "path_params": lambda head: {},
    "body": lambda head: None,
    "scopes": lambda head: [],
}


def parameters_of(authenticate: Callable[..., Any], who: str) -> list[str]:
    """Raises a sentence where it takes one that nobody gives."""
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    taken = inspect.signature(authenticate).parameters.values()
    for one in taken:
        is_given = one.kind in by_name and one.name in _PARAMETERS
        if (
            not is_given
            and one.default is one.empty
            and one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
        ):
            known = ", ".join(_PARAMETERS)
            raise LoadError(f'{who}: authenticate takes "{one.name}", which is none of {known}.')
    return [one.name for one in taken if one.kind in by_name and one.name in _PARAMETERS]


def arguments(names: list[str], head: Head) -> dict[str, Any]:
    return {name: _PARAMETERS[name](head) for name in names}
