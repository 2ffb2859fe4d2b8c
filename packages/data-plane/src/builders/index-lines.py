"""Writes the lines about indexes of requirements files, and of those that they include, for another folder.

It runs behind the fence, in the folder from which uv reads the same files.
"""

import re
import sys
from pathlib import Path

ADDRESSES = ("-i", "--index-url", "--extra-index-url", "-f", "--find-links")
FLAGS = ("--no-index", "--trusted-host")
LINE = re.compile(r"\s*(--[a-z-]+|-[a-zA-Z])(?:[ =]\s*|(?=[^\s=-]))([^\s#]*)|\s*(--no-index)\b")


def lines_of(file: Path, seen: set[Path]) -> list[str]:
    if file.resolve() in seen or not file.is_file():
        return []
    seen.add(file.resolve())
    lines: list[str] = []
    for line in file.read_text("utf8", "replace").replace("\\\n", " ").splitlines():
        match = LINE.match(line)
        if match is None:
            continue
        option, value = match[1] or match[3], match[2] or ""
        if option in ("-r", "--requirement"):
            lines += lines_of(file.parent / value, seen)
        elif option in ("-f", "--find-links"):
            lines.append(f"--find-links {placed(value, file)}")
        elif option in ADDRESSES or option in FLAGS:
            lines.append(f"{option} {value}".rstrip())
    return lines


def placed(value: str, file: Path) -> str:
    """A folder, as uv finds it: beside the file, else where it runs."""
    if re.match(r"[a-z+]+:", value, re.IGNORECASE):
        return value
    beside = file.parent / value
    return str((beside if beside.exists() else Path(value)).resolve())


if __name__ == "__main__":
    found: set[Path] = set()
    for name in sys.argv[1:]:
        for one in lines_of(Path(name), found):
            print(one)
