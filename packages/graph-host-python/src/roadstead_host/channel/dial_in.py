"""How a host that runs elsewhere gets its connections: it dials in, and has them at the usual descriptors."""

from __future__ import annotations

import fcntl
import json
import os
import socket
from collections.abc import Mapping, MutableMapping

# Those of the host protocol (docs/host-protocol).
_SOCKET = "ROADSTEAD_DIAL_SOCKET"
_TOKEN = "ROADSTEAD_DIAL_TOKEN"
_DESCRIPTORS: Mapping[str, int] = {"channel": 3, "app": 4, "loopback": 5}


def dial_in(environment: MutableMapping[str, str]) -> None:
    """Does nothing where its parent handed the descriptors to it."""
    path = environment.pop(_SOCKET, None)
    token = environment.pop(_TOKEN, "")
    if path is None:
        return
    for name, descriptor in {name: _away(_dialled(path, token, name)) for name in _DESCRIPTORS}.items():
        os.dup2(descriptor, _DESCRIPTORS[name], inheritable=False)
        os.close(descriptor)


def _away(connection: socket.socket) -> int:
    """A connection may lie where another one is to be."""
    with connection:
        return fcntl.fcntl(connection, fcntl.F_DUPFD_CLOEXEC, max(_DESCRIPTORS.values()) + 1)


def _dialled(path: str, token: str, name: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(path)
    connection.sendall(json.dumps({"token": token, "connection": name}).encode() + b"\n")
    return connection
