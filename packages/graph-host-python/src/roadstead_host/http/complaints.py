"""Reports failures of user code to the log of the deployment, which its authors read."""

from __future__ import annotations

import sys
import traceback


def complain(what: str, thrown: BaseException | str) -> None:
    words = thrown if isinstance(thrown, str) else "".join(traceback.format_exception(thrown))
    sys.stderr.write(f"{what}: {words.strip()}\n")
