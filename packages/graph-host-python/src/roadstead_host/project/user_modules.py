"""Modules of the project, by their files or by their names."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

from .own_code import is_installed


def extend_path(folders: Iterable[Path]) -> None:
    """Has modules found in these folders first."""
    known = set(sys.path)
    sys.path[:0] = [path for path in dict.fromkeys(map(str, folders)) if path not in known]


def import_file(file: Path, root: Path) -> ModuleType:
    """
    The module of a file, by the name under which other modules of the project import it, so that it is loaded
    once and knows its package. A file that no name leads to has one made of its path, the same in each
    process: states name their classes by it.
    """
    for name in _names_of(file, root):
        known = sys.modules.get(name)
        if known is not None:
            if _is_of(known, file):
                return known
        elif _leads_to(name, file):
            return importlib.import_module(name)
    return _load(file, _own_name(file, root))


def _names_of(file: Path, root: Path) -> Iterator[str]:
    """Dotted names by the folders on the path, the nearest folder first."""
    folders = {Path(entry).resolve() for entry in sys.path if entry}
    for folder in sorted(folders, key=lambda one: len(one.parts), reverse=True):
        # `dependencies` may name the file itself.
        if folder == file or not file.is_relative_to(folder) or is_installed(folder, root):
            continue
        parts = file.relative_to(folder).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        if parts and all(part.isidentifier() for part in parts):
            yield ".".join(parts)


def _leads_to(name: str, file: Path) -> bool:
    try:
        found = importlib.util.find_spec(name)
    except Exception:
        # A package that it lies in does not load by itself.
        return False
    return found is not None and found.origin is not None and Path(found.origin).resolve() == file


def _is_of(module: ModuleType, file: Path) -> bool:
    origin = getattr(module, "__file__", None)
    return origin is not None and Path(origin).resolve() == file


def _own_name(file: Path, root: Path) -> str:
    path = file.relative_to(root) if file.is_relative_to(root) else file
    words = "_".join(path.with_suffix("").parts)
    return "roadstead_project_" + "".join(letter if letter.isalnum() else "_" for letter in words)


def _load(file: Path, name: str) -> ModuleType:
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file.name} is no file of Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
