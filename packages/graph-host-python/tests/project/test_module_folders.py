"""The folders of a revision, in an interpreter that is started as the engine starts it."""

import json
import subprocess
import sys
from pathlib import Path

HOST = Path(__file__).parents[2] / "src"
PROGRAM = """
import json, sys
sys.path.append(sys.argv[1])
from roadstead_host.project.module_folders import open_module_folders
open_module_folders(sys.argv[2:])
import harbour, linked, exit_is_there
print(json.dumps([harbour.NAME, linked.NAME, any("site-packages" in entry for entry in sys.path)]))
exit(0)
"""


def test_modules_come_from_the_folders_and_from_nowhere_else(tmp_path: Path) -> None:
    first, packages, elsewhere = (tmp_path / name for name in ("first", "packages", "elsewhere"))
    for folder in (first, packages, elsewhere):
        folder.mkdir()
    (first / "harbour.py").write_text("NAME = 'first'")
    (packages / "harbour.py").write_text("NAME = 'packages'")
    (packages / "exit_is_there.py").write_text("exit")
    (elsewhere / "linked.py").write_text("NAME = 'linked'")
    (packages / "links.pth").write_text(str(elsewhere))
    command = [sys.executable, "-I", "-S", "-c", PROGRAM, str(HOST), str(first), str(packages)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["first", "linked", False]
