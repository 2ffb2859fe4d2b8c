"""Finds exports of the project's modules, such as `./app.py:app` or `package.module:app`."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ..channel.errors import LoadError
from .load_error import load_errors
from .user_modules import import_file


@dataclass(frozen=True, slots=True)
class ProjectFolder:
    """The folder of the revision, and the one of its configuration, from which paths are told."""

    root: Path
    beside: Path

    def export(self, path: str, who: str) -> Any:
        """Raises a `LoadError` where there is no such module or export."""
        module, name = self.module(path, who)
        if name is None:
            raise LoadError(f"{who} must name an export, as “path:export”.")
        return export_of(module, name, who)

    def module(self, path: str, who: str) -> tuple[ModuleType, str | None]:
        """The module that a path names, and the name of the export, where the path has one."""
        place, _, name = path.partition(":")
        is_file = "/" in place or "\\" in place or place.endswith(".py")
        with load_errors(f"{who} could not be loaded", self.root):
            module = self._file(place, who) if is_file else importlib.import_module(place)
        return module, name or None

    def _file(self, place: str, who: str) -> ModuleType:
        file = (self.beside / place).resolve()
        if not file.is_file():
            raise LoadError(f"{who}: there is no such file in the deployed folder.")
        return import_file(file, self.root)


def export_of(module: ModuleType, name: str, who: str) -> Any:
    if name not in vars(module) and not hasattr(module, name):
        names = ", ".join(name for name in vars(module) if not name.startswith("_"))
        raise LoadError(f"{who} has no “{name}”; there are: {names}.")
    return getattr(module, name)
