"""Starts the host: as a module, or by the path of this file, whose folder need not be on the path then."""

import sys
from pathlib import Path

if __name__ == "__main__":
    folder = Path(__file__).resolve().parent
    # Started by its path, Python would take modules of this package for its own.
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != folder]
    if str(folder.parent) not in sys.path:
        sys.path.append(str(folder.parent))
    from roadstead_host.host import run_host

    run_host()
