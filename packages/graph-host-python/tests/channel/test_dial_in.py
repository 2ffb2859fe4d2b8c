import json
import os
import socket
import subprocess
import sys
from pathlib import Path

_DIALS = """
import os, sys
sys.path.insert(0, sys.argv[1])
from roadstead_host.channel.dial_in import dial_in
held = [os.open(os.devnull, os.O_RDONLY) for _ in range(int(sys.argv[2]))]
for one in held[: len(held) // 2]:
    os.close(one)
dial_in(os.environ)
for name, descriptor in (("channel", 3), ("app", 4), ("loopback", 5)):
    os.write(descriptor, f"this is {name}".encode())
print([name for name in os.environ if name.startswith("ROADSTEAD_DIAL")])
"""
_SOURCE = Path(__file__).parents[2] / "src"


def _dialled(path: Path, held: int) -> tuple[dict[str, str], str]:
    """What came over each connection of a host that had some descriptors open, and what it printed."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(str(path))
        server.listen()
        host = subprocess.Popen(
            [sys.executable, "-c", _DIALS, str(_SOURCE), str(held)],
            env={**os.environ, "ROADSTEAD_DIAL_SOCKET": str(path), "ROADSTEAD_DIAL_TOKEN": "a token"},
            stdout=subprocess.PIPE,
            text=True,
        )
        came = {}
        for _ in range(3):
            connection, _ = server.accept()
            with connection, connection.makefile("r") as text:
                hello = json.loads(text.readline())
                assert hello["token"] == "a token"
                came[hello["connection"]] = text.read()
        printed, _ = host.communicate()
    return came, printed.strip()


def test_when_a_host_dials_in_then_its_connections_lie_at_their_descriptors(tmp_path: Path) -> None:
    for held in (0, 1, 2, 3, 5):
        came, printed = _dialled(tmp_path / f"{held}.sock", held)
        assert came == {name: f"this is {name}" for name in ("channel", "app", "loopback")}
        assert printed == "[]"


def test_when_descriptors_were_handed_to_a_host_then_it_dials_nowhere() -> None:
    from roadstead_host.channel.dial_in import dial_in

    environment = {"HOME": "/"}
    dial_in(environment)
    assert environment == {"HOME": "/"}
