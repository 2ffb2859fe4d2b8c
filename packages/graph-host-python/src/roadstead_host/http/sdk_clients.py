"""
Clients of the LangGraph SDK that are given no address reach their own deployment. The module of the SDK that
makes them is completed when a project imports it.
"""

from __future__ import annotations

import importlib.machinery
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .descriptors import loopback_connection

if TYPE_CHECKING:
    from .loopback import Loopback

# Where versions of the SDK make their clients.
_MODULES = frozenset(("langgraph_sdk._async.client", "langgraph_sdk._sync.client", "langgraph_sdk.client"))
_FACTORIES = ("get_client", "get_sync_client")
# Never resolved: the transport knows the way.
_ADDRESS = "http://deployment"


def provide_loopback(connect: Callable[[], socket.socket] = loopback_connection) -> None:
    """Connects at the first call."""
    sys.meta_path.insert(0, _Completion(connect))


class _Completion(MetaPathFinder):
    def __init__(self, connect: Callable[[], socket.socket]) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._loopback: Loopback | None = None

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname not in _MODULES:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None:
            return None
        run = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            run(module)
            for name in _FACTORIES:
                make = getattr(module, name, None)
                if make is not None and make.__module__ == module.__name__:
                    setattr(module, name, self._completed(make))

        setattr(spec.loader, "exec_module", exec_module)  # noqa: B010 -- the loader is this module's alone
        return spec

    def _completed(self, make: Callable[..., Any]) -> Callable[..., Any]:
        def get_client(*, url: str | None = None, **options: Any) -> Any:
            if url is not None:
                return make(url=url, **options)
            client = make(url=_ADDRESS, **options)
            self._reroute(client.http)
            return client

        get_client.__name__ = make.__name__
        get_client.__doc__ = make.__doc__
        return get_client

    def _reroute(self, http: Any) -> None:
        """Imports the HTTP client for the first of them."""
        from .loopback import Loopback
        from .loopback_transports import rerouted

        with self._lock:
            self._loopback = self._loopback or Loopback(self._connect)
        http.client = rerouted(http.client, self._loopback)
