"""The folders in which a revision finds its modules, beside the standard library."""

from __future__ import annotations

import site
from collections.abc import Iterable


def open_module_folders(folders: Iterable[str]) -> None:
    """
    Adds folders to the path, with what `.pth` files in them name. The engine starts Python without `site`, so
    that a revision has the packages of its build and no others; what `site` gives to programs is given here.
    """
    site.setquit()
    site.setcopyright()
    site.sethelper()
    for folder in folders:
        site.addsitedir(folder)
