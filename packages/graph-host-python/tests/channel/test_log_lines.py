"""Lines of the log that the engine reads slowly."""

from __future__ import annotations

import json
import socket
import struct
from threading import Thread

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

        messages: list[str] = []

        def listen() -> None:
            while messages[-1:] != ["last"]:
                messages.append(heard())

        listener = Thread(target=listen, daemon=True)
        listener.start()
        assert peer.outbox.drain(20)
        lines.write("INFO", "last")
        listener.join(20)
        *kept, dropped, last = messages
        assert all(message.startswith("xxx") for message in kept)
        assert dropped.startswith(f"{LINES - len(kept)} lines of the log were dropped")
        assert last == "last"
        peer.close(ConnectionError())
