"""How much memory the process has, and how much it may have."""

from __future__ import annotations

import os
import resource
import sys
from functools import cache
from pathlib import Path

_PAGE = resource.getpagesize()
_LIMIT_FILES = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


def resident_bytes() -> int:
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE
    except OSError:
        # The most that it had, where the system tells no more.
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024


@cache
def memory_limit() -> int:
    """The least of what the machine has and what limits allow."""
    limits = [os.sysconf("SC_PHYS_PAGES") * _PAGE]
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        soft, _ = resource.getrlimit(kind)
        if soft != resource.RLIM_INFINITY:
            limits.append(soft)
    for name in _LIMIT_FILES:
        try:
            limits.append(int(Path(name).read_text()))
        except (OSError, ValueError):
            # Not there, or without a limit.
            continue
    return max(1, min(limits))
