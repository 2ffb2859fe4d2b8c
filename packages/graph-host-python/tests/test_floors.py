"""Imports between folders point down."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[1]
SOURCE = PACKAGE / "src" / "roadstead_host"
FLOORS: list[str] = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["tool"]["roadstead"]["floors"]


def folders_imported(file: Path) -> Iterator[str]:
    """The folders of the package from which a file imports, by relative imports."""
    place = file.relative_to(SOURCE).parts[:-1]
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level > 0:
            base = place[: len(place) + 1 - node.level]
            names = (node.module or "").split(".") if node.module else [alias.name for alias in node.names]
            yield (*base, *names)[0]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("roadstead_host"):
            raise AssertionError(f"{file} imports {node.module} by its whole name")


def test_when_a_folder_imports_another_then_that_lies_below() -> None:
    files = [file for file in SOURCE.rglob("*.py") if file.parent != SOURCE]
    wrong = [
        f"{file.relative_to(SOURCE)} imports {folder}"
        for file in files
        for folder in folders_imported(file)
        if FLOORS.index(folder) > FLOORS.index(file.relative_to(SOURCE).parts[0])
    ]
    assert len(files) > 5
    assert wrong == []


def test_when_a_file_is_long_then_it_is_cut() -> None:
    lines = {file: len(file.read_text("utf-8").splitlines()) for file in PACKAGE.rglob("*.py")}
    assert [
        str(file) for file, count in lines.items() if count > (300 if SOURCE in file.parents else 600)
    ] == []
