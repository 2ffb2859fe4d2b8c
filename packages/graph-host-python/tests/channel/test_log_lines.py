"""Lines of the log that the engine reads slowly."""

from __future__ import annotations

import json
import socket
import struct

from roadstead_host.channel.log_lines import LogLines
from roadstead_host.channel.peer import Peer

LINES = 300


def test_when_lines_come_faster_than_they_are_read_then_those_beyond_are_dropped_and_counted() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, theirs.makefile("rb") as channel:
        peer = Peer(ours, lambda _: None)
        lines = LogLines(peer)
        for _ in range(LINES):
            lines.write("INFO", "x" * 100_000)
        assert peer.outbox.bytes < 9_000_000

        def heard() -> str:
            total, _ = struct.unpack(">II", channel.read(8))
            return str(json.loads(channel.read(total - 4))["params"]["message"])

        kept = 0
        # As long as so much waits, there is a line to read.
        while peer.outbox.bytes > 4_000_000:
            assert heard().startswith("xxx")
            kept += 1
        lines.write("INFO", "last")
        while (message := heard()).startswith("xxx"):
            kept += 1
        assert message.startswith(f"{LINES - kept} lines of the log were dropped")
        assert heard() == "last"
        peer.close(ConnectionError())
