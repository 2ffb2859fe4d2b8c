"""Programs that user code starts, in a host that is started as the engine starts it."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

HOST = Path(__file__).parents[2] / "src"
BEGIN = """
import json, os, subprocess, sys
if __name__ == "__main__":
    sys.path.append(sys.argv[1])
    from roadstead_host.project.module_folders import open_module_folders
    from roadstead_host.project.revision_python import provide_python
    open_module_folders(sys.argv[3:])
    provide_python(sys.argv[3:], sys.argv[2])
"""
RUNS = """
def run(*command):
    few = {name: os.environ[name] for name in ("HOME", "PATH")}
    done = subprocess.run(command, env=few, capture_output=True, text=True)
    return (done.stdout + done.stderr).strip()

ask = "import harbour, linked; print(harbour.NAME, linked.NAME)"
nested = f"import subprocess, sys; subprocess.run([sys.executable, '-I', '-c', {ask!r}], env={{}})"
print(json.dumps({
    "own": run(sys.executable, "-c", ask),
    "isolated": run(sys.executable, "-I", "-c", ask),
    "by name": run("python", "-c", ask),
    "by version": run("python3.%d" % sys.version_info.minor, "./served.py"),
    "nested": run("python3", "-c", nested),
    "script": run("pilot"),
    "beside": run(os.path.join(os.path.dirname(sys.executable), "pilot")),
    "others": run("python3", "-c", "import sys; print([p for p in sys.path if 'dist-packages' in p])"),
}))
"""
POOLS = """
import concurrent.futures, multiprocessing
import harbour
if __name__ == "__main__":
    for method in ("spawn", "forkserver", "fork"):
        context = multiprocessing.get_context(method)
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
            name, executable = (pool.submit(ask).result() for ask in (harbour.name, harbour.executable))
            print(name, executable == sys.executable)
"""


@pytest.fixture
def folders(tmp_path: Path) -> list[str]:
    first, packages, elsewhere, programs = (
        tmp_path / name for name in ("fürst's", "packages", "elsewhere", "programs")
    )
    for folder in (first, packages, elsewhere, programs, tmp_path / "writable"):
        folder.mkdir()
    (first / "harbour.py").write_text(
        "import sys\nNAME = 'first'\ndef name(): return NAME\ndef executable(): return sys.executable\n"
    )
    (packages / "harbour.py").write_text("NAME = 'packages'")
    (elsewhere / "linked.py").write_text("NAME = 'linked'")
    (packages / "links.pth").write_text(str(elsewhere))
    ask = "import harbour, linked; print(harbour.NAME, linked.NAME)"
    (programs / "pilot").write_text(f"#!/usr/bin/env python3.{sys.version_info.minor}\n{ask}\n")
    (programs / "pilot").chmod(0o755)
    (tmp_path / "served.py").write_text(ask)
    return [str(programs), str(first), str(packages)]


def in_host(tmp_path: Path, folders: Sequence[str], program: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "begin.py").write_text(BEGIN + program)
    interpreter = os.path.realpath(sys.executable)
    command = [interpreter, "-I", "-S", "-B", "-X", "utf8", str(tmp_path / "begin.py"), str(HOST), *folders]
    env = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path / "writable"), "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)


def test_programs_find_the_packages_by_path_alone(tmp_path: Path, folders: list[str]) -> None:
    for _host in range(2):
        done = in_host(tmp_path, folders, RUNS)
        assert done.stderr == ""
        said = json.loads(done.stdout)
        assert said.pop("others") == "[]"
        assert said == dict.fromkeys(said, "first linked")
    # The second host takes what the first has made.
    (made,) = (tmp_path / "writable").iterdir()
    assert stat.S_IMODE(made.stat().st_mode) == 0o700


def test_processes_of_pools_are_started_with_it(folders: list[str]) -> None:
    # A pool has its socket in the temporary folder, and the path of a socket has 108 bytes at most.
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="pools-") as short:
        (Path(short) / "writable").mkdir()
        done = in_host(Path(short), folders, POOLS)
    assert done.stdout.splitlines() == ["first True"] * 3, done.stderr


def test_a_folder_of_others_is_not_taken(tmp_path: Path, folders: list[str]) -> None:
    in_host(tmp_path, folders, "")
    (made,) = (tmp_path / "writable").iterdir()
    made.chmod(0o777)
    done = in_host(tmp_path, folders, "print(os.environ['PATH'])")
    assert done.stdout == "/usr/bin:/bin\n"
    assert "have no packages" in done.stderr
    made.chmod(0o700)
