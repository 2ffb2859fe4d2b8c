"""A Python for the programs that user code starts, with the packages of the revision."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

_MINOR = f"python{sys.version_info.major}.{sys.version_info.minor}"


def provide_python(folders: Sequence[str], programs: str | None) -> None:
    """
    Makes a virtual environment in the folder of temporary files, unless a host of the revision has made it,
    and puts it first. Its interpreter finds the modules with any variables.
    """
    try:
        environment = _environment(folders, programs)
    except OSError as fault:
        print(f"Programs in Python that this revision starts have no packages: {fault}.", file=sys.stderr)
        return
    sys.executable = str(environment / "bin" / _MINOR)
    os.environ["PATH"] = os.pathsep.join([str(environment / "bin"), os.environ.get("PATH", os.defpath)])


def _environment(folders: Sequence[str], programs: str | None) -> Path:
    # A folder that is merely named in such a file would be one without `.pth` files of its own.
    opens = f"import site; [*map(site.addsitedir, {[*folders]!a})]\n"
    files = {
        "pyvenv.cfg": f"home = {Path(sys.executable).parent}\ninclude-system-site-packages = false\n",
        f"lib/{_MINOR}/site-packages/revision.pth": opens,
    }
    links = {
        **_links(programs),
        **{f"bin/{name}": sys.executable for name in ("python", "python3", _MINOR)},
    }
    digest = hashlib.sha256(repr([files, links]).encode()).hexdigest()[:16]
    place = Path(tempfile.gettempdir(), f"roadstead-python-{digest}")
    if not _is_own(place):
        _write(place, files, links)
    return place


def _links(programs: str | None) -> dict[str, str]:
    """Programs of packages are sought beside the interpreter, too."""
    if programs is None or not os.path.isdir(programs):
        return {}
    return {f"bin/{name}": os.path.join(programs, name) for name in sorted(os.listdir(programs))}


def _is_own(place: Path) -> bool:
    """Whether it is there; where others may have made it, it is refused."""
    try:
        found = place.lstat()
    except FileNotFoundError:
        return False
    if found.st_uid != os.getuid() or found.st_mode & 0o170022 != 0o040000:
        raise PermissionError(f"{place} belongs to others")
    return True


def _write(place: Path, files: dict[str, str], links: dict[str, str]) -> None:
    """Appears whole or not at all, no matter who else writes it."""
    begun = Path(tempfile.mkdtemp(prefix=f"{place.name}-"))
    try:
        for name, text in files.items():
            (begun / name).parent.mkdir(parents=True, exist_ok=True)
            (begun / name).write_text(text, "utf8")
        (begun / "bin").mkdir()
        for name, target in links.items():
            (begun / name).symlink_to(target)
        begun.rename(place)
    except OSError:
        shutil.rmtree(begun, ignore_errors=True)
        if not _is_own(place):
            raise
