"""Which code is the project's own, in a folder and in an artifact."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from roadstead_host.project.load_error import load_error
from roadstead_host.project.own_code import is_own
from roadstead_host.project.user_modules import import_file


@pytest.mark.parametrize(
    ("path", "own"),
    [
        ("/data/.roadstead/app/agent.py", True),
        ("/data/.roadstead/app/lib/site-packages/x.py", False),
        ("/data/.roadstead/app/.roadstead/python/packages/x.py", False),
        ("/elsewhere/x.py", False),
    ],
)
def test_when_a_file_lies_in_a_folder_of_packages_then_it_is_not_the_projects(path: str, own: bool) -> None:
    assert is_own(Path(path), Path("/data/.roadstead/app")) is own


def test_when_a_package_of_an_artifact_raises_then_the_line_of_the_project_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    packages = tmp_path / ".roadstead" / "python" / "packages"
    packages.mkdir(parents=True)
    (packages / "raising_library.py").write_text("def fail():\n    raise RuntimeError('no')\n")
    agent = tmp_path / "own_agent.py"
    agent.write_text("import raising_library\n\nraising_library.fail()\n")
    monkeypatch.setattr(sys, "path", [str(packages), str(tmp_path), *sys.path])
    with pytest.raises(RuntimeError) as raised:
        import_file(agent, tmp_path)
    assert (
        str(load_error("It failed", raised.value, tmp_path)) == "It failed: RuntimeError: no (own_agent.py:3)"
    )
    assert ".roadstead" not in capsys.readouterr().err
