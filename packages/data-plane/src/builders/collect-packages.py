"""Moves what was installed for a build into its project, so that it runs wherever the project is put.

It runs behind the fence, as the last command of a build, in the folder of the project. Beside the packages it
writes `.roadstead/python.json`, from which a graph host is started.
"""

import ast
import compileall
import json
import os
import py_compile
import re
import shutil
import sys
from pathlib import Path

PROJECT = Path.cwd()
HOME = Path(os.environ["HOME"])
VENV = Path(os.environ["VIRTUAL_ENV"])
OWN = PROJECT / ".roadstead"
PYTHON = OWN / "python"
PACKAGES = PYTHON / "packages"
PROGRAMS = PYTHON / "bin"
MINOR = f"{sys.version_info.major}.{sys.version_info.minor}"
# Folders of a project that hold no code of its own.
FOREIGN = re.compile(re.escape(str(PROJECT)) + r"(/.*)?/(\.git|\.venv|venv|node_modules|\.roadstead)(/|$)")
# Files by which an installer remembers where it took a package from.
ORIGINS = ("direct_url.json", "uv_build.json", "uv_cache.json")


def main() -> None:
    record = json.loads((HOME / "python-record.json").read_text("utf8"))
    shutil.rmtree(PYTHON, ignore_errors=True)
    PYTHON.mkdir(parents=True)
    installed = VENV / "lib" / f"python{MINOR}" / "site-packages"
    installed.rename(PACKAGES)
    linked = take_links()
    take_programs()
    forget_origins()
    shutil.rmtree(VENV)
    lock = record["lock"]
    written = HOME / "requirements.txt"
    if lock is None and written.is_file():
        shutil.copyfile(written, PYTHON / "requirements.txt")
        lock = ".roadstead/python/requirements.txt"
    compile_all([*{PROJECT / path for path in [*record["paths"], *linked]}, PACKAGES])
    version = ".".join(str(part) for part in sys.version_info[:3])
    paths = list(dict.fromkeys([*record["paths"], *linked]))
    # Anything in its place must not be written through.
    (OWN / "python.json").unlink(missing_ok=True)
    (OWN / "python.json").write_text(
        json.dumps({"version": 1, "python": version, "paths": paths, "lock": lock}, indent=2), "utf8"
    )


def take_links() -> list[str]:
    """Replaces the files that link to folders of the project, which name them by their present place."""
    folders: list[str] = []
    for file in sorted(PACKAGES.glob("*.pth")):
        lines = [line.strip() for line in file.read_text("utf8", "replace").splitlines()]
        inside = [line for line in lines if relative(line) is not None]
        folders += [path for line in inside if (path := relative(line)) is not None]
        others = [line for line in lines if line and line not in inside]
        if inside and others:
            file.write_text("".join(f"{line}\n" for line in others), "utf8")
        elif inside:
            file.unlink()
    for finder in [*PACKAGES.glob("__editable___*_finder.py"), *PACKAGES.glob("_editable_impl_*.py")]:
        mapping = mapping_of(finder.read_text("utf8", "replace"))
        if mapping is None:
            continue
        for name, place in mapping.items():
            link_module(name, place)
        finder.unlink()
        for file in PACKAGES.glob("*.pth"):
            if finder.stem in file.read_text("utf8", "replace"):
                file.unlink()
    refuse_other_links()
    return folders


def refuse_other_links() -> None:
    """Ends the build where a package would be lost, since nobody finds its modules elsewhere."""
    for file in sorted([*PACKAGES.glob("*.pth"), *PACKAGES.glob("*editable_*.py")]):
        if str(PROJECT) in file.read_text("utf8", "replace"):
            sys.exit(
                f"error: {file.name} links to modules of the project in a way that cannot be moved: "
                "let its package be built by another backend, or put its modules below src"
            )


def mapping_of(finder: str) -> dict[str, str] | None:
    """The places of modules in folders of other names, for which setuptools, hatchling and pdm write finders."""
    try:
        tree = ast.parse(finder)
        for node in tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, ast.AnnAssign):
                targets = [node.target]
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            if value is not None and any(isinstance(one, ast.Name) and one.id == "MAPPING" for one in targets):
                return dict(ast.literal_eval(value))
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        mapped = [
            (ast.literal_eval(call.args[0]), ast.literal_eval(call.args[1]))
            for call in calls
            if isinstance(call.func, ast.Attribute) and call.func.attr == "map_module"
        ]
    except (SyntaxError, ValueError, TypeError, IndexError):
        return None
    return dict(mapped) or None


def link_module(name: str, place: str) -> None:
    path = relative(place)
    if path is None:
        return
    named = PROJECT / path
    folder = named.parent if named.name == "__init__.py" else named
    file = named if named.suffix == ".py" else named.with_suffix(".py")
    target = folder if folder.is_dir() else file
    link = PACKAGES.joinpath(*name.split(".")).with_suffix("" if target != file else ".py")
    if not link.exists():
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(os.path.relpath(target, link.parent))


def relative(line: str) -> str | None:
    """A path inside the project, as it is seen from there."""
    path = Path(os.path.normpath(line))
    if not path.is_absolute() or not path.is_relative_to(PROJECT):
        return None
    return path.relative_to(PROJECT).as_posix()


def take_programs() -> None:
    """Keeps programs of packages, which must find their Python by its name."""
    PROGRAMS.mkdir()
    for file in sorted((VENV / "bin").iterdir()):
        is_shells = file.suffix in (".bat", ".ps1") or file.name.startswith(("activate", "deactivate"))
        if file.is_symlink() or is_shells:
            continue
        text = file.read_bytes()
        begin = rest_of_script(text)
        if begin is None:
            file.rename(PROGRAMS / file.name)
        else:
            kept = PROGRAMS / file.name
            kept.write_bytes(f"#!/usr/bin/env python{MINOR}\n".encode() + text[begin:])
            kept.chmod(0o755)


def rest_of_script(text: bytes) -> int | None:
    """Where a script of this environment goes on after the lines that name its Python; none for others."""
    venv = str(VENV).encode()
    end = text.find(b"\n") + 1
    if text.startswith(b"#!" + venv):
        return end
    # Where the name is too long for the first line, a shell starts it by the second and third.
    if text.startswith(b"#!/bin/sh\n'''exec' ") and venv in text[:2048]:
        return text.find(b"\n", text.find(b"\n", end) + 1) + 1
    return None


def forget_origins() -> None:
    for info in PACKAGES.glob("*.dist-info"):
        for name in ORIGINS:
            (info / name).unlink(missing_ok=True)
        record = info / "RECORD"
        if record.is_file():
            lines = record.read_text("utf8", "replace").splitlines(keepends=True)
            record.write_text("".join(line for line in lines if is_kept(line)), "utf8")


def is_kept(line: str) -> bool:
    """Whether a line of a package's list names a file that stays where it is, as it is."""
    path = line.split(",", 1)[0]
    return not path.startswith("..") and not path.endswith((*ORIGINS, ".pth"))


def compile_all(folders: list[Path]) -> None:
    """Compiles to bytecode that counts no matter what the times of files become; what can't be compiled stays."""
    for folder in folders:
        compileall.compile_dir(
            folder,
            maxlevels=50,
            quiet=2,
            force=True,
            rx=None if folder == PACKAGES else FOREIGN,
            stripdir=PROJECT,
            workers=0,
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )


if __name__ == "__main__":
    main()
