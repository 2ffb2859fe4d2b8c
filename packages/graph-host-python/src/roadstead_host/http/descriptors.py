"""The connections of HTTP/2 that a host is given beside the channel."""

from __future__ import annotations

import socket


def app_connection() -> socket.socket:
    """The engine asks the project's app here."""
    return socket.socket(fileno=4)


def loopback_connection() -> socket.socket:
    """The project's code asks its own deployment here."""
    return socket.socket(fileno=5)
