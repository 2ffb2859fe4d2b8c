"""The project's own HTTP app (`http.app`), by shape: its framework is the user's own copy."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..channel.errors import LoadError
from .asgi_types import App, Receive, Scope, Send

# On an answer: the project's app has nothing at this address.
NOT_SERVED_HEADER = b"x-roadstead-not-served"
# Below which path others find the app.
_PREFIX_HEADER = b"x-forwarded-prefix"
# How the events of an answer are named, to a request and to one for a WebSocket.
_ANSWERS = {"http": "http.response", "websocket": "websocket.http.response"}
# How the table of addresses names those at which WebSockets are taken up.
_WEB_SOCKET = "WEBSOCKET"
# A table of more is not told; the app is then asked for what nobody else answers.
_MAX_ROUTES = 2000


class UnfitAppError(LoadError):
    """The export of the project is no app that can be served; the message is a sentence."""


@dataclass(frozen=True, slots=True)
class UserApp:
    # Its part of the manifest.
    description: dict[str, Any]
    app: App


def create_user_app(exported: Any, who: str) -> UserApp:
    """Raises a sentence that begins with `who` when the export is no app."""
    router = _router_of(exported)
    if router is not None:
        _tell_not_served(exported, router)
        _place_own_pages(router)
        description = {"routes": _told_routes(router.routes), **_facts(exported, router)}
        return UserApp(description, exported)
    _check_plain(exported, who)
    return UserApp({"routes": None}, exported)


def _router_of(exported: Any) -> Any:
    """The router of an app of Starlette or FastAPI, or what is one."""
    for found in (getattr(exported, "router", None), exported):
        if isinstance(getattr(found, "routes", None), list) and callable(getattr(found, "default", None)):
            return found
    return None


def _check_plain(exported: Any, who: str) -> None:
    if callable(getattr(exported, "wsgi_app", None)):
        raise UnfitAppError(f"{who} is an app of WSGI, such as Flask makes: export one of ASGI.")
    if not callable(exported):
        raise UnfitAppError(f"{who} is no app: export one of ASGI, such as FastAPI or Starlette make.")
    count = _positional_count(exported)
    if inspect.isclass(exported) or count == 1:
        raise UnfitAppError(f"{who} is an app of ASGI 2, which takes the scope alone: export one of ASGI 3.")
    if count not in (None, 3):
        raise UnfitAppError(f"{who} is no app of ASGI: it does not take scope, receive and send.")


def _positional_count(called: Any) -> int | None:
    """How many arguments it needs by position; nothing where it does not tell, or takes any number."""
    try:
        parameters = inspect.signature(called).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters):
        return None
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(one.kind in by_position and one.default is one.empty for one in parameters)


def _tell_not_served(exported: Any, router: Any) -> None:
    """
    The router's last resort answers in a way that is told apart from a 404 of the app's own. An app with
    a handler of its own for addresses that it does not have answers them itself.
    """
    if _handles_404(exported):
        return
    resort = router.default

    async def default(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in _ANSWERS:
            await resort(scope, receive, send)
            return
        answer = _ANSWERS[scope["type"]]
        headers = [(NOT_SERVED_HEADER, b"1"), (b"content-length", b"0")]
        await send({"type": f"{answer}.start", "status": 404, "headers": headers})
        await send({"type": f"{answer}.body", "body": b""})

    router.default = default
    for route in router.routes:
        # An app mounted at the root has the last word there.
        inner = _router_of(getattr(route, "app", None)) if _is_root_mount(route) else None
        if inner is not None:
            _tell_not_served(route.app, inner)


def _handles_404(exported: Any) -> bool:
    handlers = getattr(exported, "exception_handlers", None)
    if not isinstance(handlers, dict):
        return False
    return any(
        key == 404
        or (
            getattr(key, "__name__", "") == "HTTPException"
            and getattr(handler, "__module__", "") != "fastapi.exception_handlers"
        )
        for key, handler in handlers.items()
    )


def _is_root_mount(route: Any) -> bool:
    return _is_mount(route) and getattr(route, "path", None) in ("", "/")


def _is_mount(route: Any) -> bool:
    return getattr(route, "endpoint", None) is None and getattr(route, "app", None) is not None


def _is_web_socket(route: Any) -> bool:
    kinds = type(getattr(route, "original_route", route)).__mro__
    return any(kind.__name__ == "WebSocketRoute" for kind in kinds)


def _told_routes(routes: Iterable[Any]) -> list[dict[str, str]] | None:
    told = {(method, path): None for method, path in _addresses(routes)}
    if len(told) > _MAX_ROUTES:
        return None
    return [{"method": method, "path": path} for method, path in told]


def _addresses(routes: Iterable[Any]) -> Iterator[tuple[str, str]]:
    """Lists the routes that the app answers itself. An app mounted at the root gets what no route answers."""
    for route in _flat(routes):
        path = getattr(route, "path", None)
        if not isinstance(path, str) or _is_made_by_framework(route):
            continue
        if _is_web_socket(route):
            yield _WEB_SOCKET, _told_path(path)
        elif _is_root_mount(route):
            yield from _addresses(route.routes or ())
        elif _is_mount(route):
            yield "ALL", f"{_told_path(path)}/*"
        else:
            for method in sorted(getattr(route, "methods", None) or ("ALL",)):
                yield method, _told_path(path)


def _flat(routes: Iterable[Any]) -> Iterable[Any]:
    """FastAPI keeps included routers apart, and tells the routes of all of them by a function."""
    told = getattr(sys.modules.get("fastapi.routing"), "iter_route_contexts", None)
    return routes if told is None else told(list(routes))


def _facts(exported: Any, router: Any) -> dict[str, Any]:
    """That it has middleware, and where FastAPI describes it."""
    facts: dict[str, Any] = {}
    if getattr(exported, "user_middleware", None):
        facts["has_middleware"] = True
    openapi_path = getattr(exported, "openapi_url", None)
    if any(_is_made_by_framework(route) and route.path == openapi_path for route in router.routes):
        facts["openapi_path"] = openapi_path
    return facts


def _place_own_pages(router: Any) -> None:
    """
    The pages that FastAPI documents an app by name addresses of the app, so they are told where it is found.
    All else sees itself at the root.
    """
    for route in router.routes:
        if _is_made_by_framework(route):
            route.app = _placed(route.app)


def _placed(app: App) -> App:
    async def placed(scope: Scope, receive: Receive, send: Send) -> None:
        prefix = next((value for name, value in scope["headers"] if name == _PREFIX_HEADER), b"")
        root_path = scope.get("root_path") or prefix.decode("latin-1")
        await app({**scope, "root_path": root_path}, receive, send)

    return placed


def _is_made_by_framework(route: Any) -> bool:
    """The pages that FastAPI documents an app by: the deployment has its own at these addresses."""
    return getattr(getattr(route, "endpoint", None), "__module__", "") == "fastapi.applications"


def _told_path(path: str) -> str:
    """A path as routers of JavaScript write it: `{name}` is `:name`, and what spans segments is `*`."""
    told = []
    for segment in path.split("/"):
        if segment.startswith("{") and segment.endswith(":path}"):
            # Anything may follow: the app itself answers 404.
            told.append("*")
            break
        told.append(":part" if "{" in segment else segment)
    return "/".join(told)
