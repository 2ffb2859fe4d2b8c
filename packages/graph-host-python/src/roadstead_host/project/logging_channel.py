"""Sends the log records of user code to the log of the deployment, with their levels."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable

_LEVELS = ((logging.ERROR, "ERROR"), (logging.WARNING, "WARNING"), (logging.INFO, "INFO"))


class ChannelHandler(logging.Handler):
    def __init__(self, write: Callable[[str, str], None]) -> None:
        super().__init__()
        self._write = write

    def emit(self, record: logging.LogRecord) -> None:
        try:
            level = next((name for least, name in _LEVELS if record.levelno >= least), "DEBUG")
            self._write(level, self.format(record))
        except Exception:
            self.handleError(record)


def provide_logging(write: Callable[[str, str], None]) -> None:
    """
    Loggers without handlers of their own write by it. As in the original, lines of INFO and above are kept;
    the variable `LOG_LEVEL` says another level.
    """
    root = logging.getLogger()
    root.addHandler(ChannelHandler(write))
    wanted = os.environ.get("LOG_LEVEL", "").upper()
    root.setLevel(wanted if wanted in logging.getLevelNamesMapping() else logging.INFO)
