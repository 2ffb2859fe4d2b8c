"""Rules of the host process and its children about signals, and about the connections to the engine."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

# The channel, the app’s connection and the loopback; a project without an app has fewer.
_CONNECTIONS = (3, 4, 5)

# As Python has them at its start.
_HANDLERS: dict[signal.Signals, Any] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
}


def keep_connections() -> None:
    """
    Only the host speaks to the engine: no program that user code starts, and no copy of the host. Called
    before anything else is opened.
    """
    given = [descriptor for descriptor in _CONNECTIONS if _is_connection(descriptor)]
    for descriptor in given:
        os.set_inheritable(descriptor, False)
    os.register_at_fork(after_in_child=lambda: _leave(given))


def ignore_signals() -> None:
    """A terminal's Ctrl-C and a supervisor's SIGTERM are the parent's to answer. Children hear them."""
    for name in _HANDLERS:
        signal.signal(name, _ignore)
    os.register_at_fork(after_in_child=_hear_signals)


def _ignore(*_: object) -> None:
    pass


def _hear_signals() -> None:
    for name, handler in _HANDLERS.items():
        if signal.getsignal(name) is _ignore:
            signal.signal(name, handler)


def _is_connection(descriptor: int) -> bool:
    try:
        return stat.S_ISSOCK(os.fstat(descriptor).st_mode)
    except OSError:
        return False


def _leave(descriptors: Iterable[int]) -> None:
    """The number of a closed one would be given to a file, and what the copy says be written there."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in descriptors:
            os.dup2(nowhere, descriptor, inheritable=False)
        os.close(nowhere)
