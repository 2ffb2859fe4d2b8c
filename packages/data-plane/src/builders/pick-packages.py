"""Leaves in a `pylock.toml` that uv wrote only the packages that are named.

It runs behind the fence. uv itself can leave packages out of a lock that it exports, but can't pick some.
"""

import re
import sys
from pathlib import Path


def pick(text: str, names: list[str]) -> str:
    head, *packages = re.split(r"^(?=\[\[packages\]\]$)", text, flags=re.MULTILINE)
    kept = [one for one in packages if (found := NAME.search(one)) is not None and found[1] in names]
    return "".join([head, *kept])


NAME = re.compile(r'^name = "([^"]+)"$', re.MULTILINE)

if __name__ == "__main__":
    file = Path(sys.argv[1])
    file.write_text(pick(file.read_text("utf8"), sys.argv[2:]), "utf8")
