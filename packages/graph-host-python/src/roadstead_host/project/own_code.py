"""Code of the project itself, as opposed to what is installed beside or in it."""

from __future__ import annotations

from pathlib import Path

# Folders of packages.
INSTALLED = frozenset(("site-packages", "dist-packages"))
# An artifact has its packages below this folder of its root.
_ARTIFACT_FOLDER = ".roadstead"


def is_installed(path: Path, root: Path) -> bool:
    """Whether it lies in a folder of packages, in the project or elsewhere."""
    if not path.is_relative_to(root):
        return not INSTALLED.isdisjoint(path.parts)
    inner = path.relative_to(root).parts
    return not INSTALLED.isdisjoint(inner) or inner[:1] == (_ARTIFACT_FOLDER,)


def is_own(path: Path, root: Path) -> bool:
    return path.is_relative_to(root) and not is_installed(path, root)
