"""A host as a process: whatever user code does, at most its own run fails."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.host_process import HostProcess

CODE = """
import asyncio, gc, logging, os, signal, subprocess, sys, time, threading, weakref
from typing import TypedDict
from langgraph.graph import START, StateGraph

class State(TypedDict):
    deed: str
    said: str

async def act(state):
    match state["deed"]:
        case "exit":
            sys.exit(3)
        case "block":
            print("blocks")
            time.sleep(2)
        case "log":
            log = logging.getLogger("mine")
            log.debug("hidden")
            log.info("shown %s", 1)
            try:
                raise ValueError("broken")
            except ValueError:
                log.exception("failed")
            logging.basicConfig(level=logging.DEBUG)
            log.critical("lastly")
        case "forget":
            async def fail(): raise RuntimeError("nobody caught me")
            asyncio.create_task(fail())
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        case "thread":
            thread = threading.Thread(target=lambda: 1 / 0)
            thread.start()
            thread.join()
        case "much":
            for line in range(2000): print("line", line)
            os._exit(1)
        case "wait":
            await asyncio.Event().wait()
        case "fork":
            ready, tell = os.pipe()
            child = os.fork()
            if child == 0:
                try:
                    logging.getLogger("mine").error("said by a copy")
                    os.write(tell, b".")
                    signal.pause()
                finally:
                    os._exit(0)
            os.read(ready, 1)
            os.kill(child, signal.SIGTERM)
            return {"said": str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))}
        case "start":
            look = "import os; print([fd for fd in (3, 4, 5) if os.path.exists(f'/proc/self/fd/{fd}')])"
            # As some libraries start programs.
            started = subprocess.run([sys.executable, "-c", look], capture_output=True, close_fds=False)
            return {"said": started.stdout.decode().strip()}
        case "cycle":
            class Held: pass
            held = Held()
            held.itself = held
            seen = weakref.ref(held)
            del held
            was_kept = seen() is not None
            gc.collect()
            loaded = gc.get_freeze_count() > 10_000
            return {"said": f"{was_kept} {seen() is None} {loaded}"}
    return {"said": state["deed"]}

def wait_in_thread(state):
    print("waits")
    time.sleep(2)
    return {"said": "late"}

def one(node):
    return StateGraph(State).add_node("act", node).add_edge(START, "act").compile()

graph = one(act)
plain = one(wait_in_thread)
"""


def opened(folder: Path) -> Iterator[HostProcess]:
    (folder / "agent.py").write_text(CODE)
    host = HostProcess(folder, {"graph": "./agent.py:graph", "plain": "./agent.py:plain"})
    yield host
    host.close()


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HostProcess]:
    """One process for all tests but those that end it."""
    yield from opened(tmp_path_factory.mktemp("project"))


@pytest.fixture
def doomed(tmp_path: Path) -> Iterator[HostProcess]:
    yield from opened(tmp_path)


def is_well(host: HostProcess) -> bool:
    return bool(host.run("graph", {"deed": "nothing"})["output"] == {"deed": "nothing", "said": "nothing"})


def test_when_user_code_ends_its_thread_or_its_task_then_others_go_on(host: HostProcess) -> None:
    error = host.run("graph", {"deed": "exit"})["error"]
    assert (error["name"], error["message"]) == ("SystemExit", "3")
    assert host.run("graph", {"deed": "thread"})["outcome"] == "success"
    host.until(lambda: "ZeroDivisionError" in host.output)
    assert host.run("graph", {"deed": "forget"})["outcome"] == "success"
    assert is_well(host)


def test_when_user_code_logs_then_lines_come_with_their_level(host: HostProcess) -> None:
    host.run("graph", {"deed": "log"})
    lines = [(line["level"], line["message"]) for line in host.heard("log")]
    assert ("INFO", "shown 1") in lines
    assert ("ERROR", "lastly") in lines
    [failed] = [message for level, message in lines if message.startswith("failed")]
    assert failed.endswith("ValueError: broken")
    assert "hidden" not in str(lines)
    assert "lastly" not in host.output


def test_when_user_code_forks_then_the_copy_hears_signals_and_says_nothing_to_the_engine(
    host: HostProcess,
) -> None:
    end = host.run("graph", {"deed": "fork"})
    assert end["output"]["said"] == str(-signal.SIGTERM)
    assert is_well(host)
    assert "said by a copy" not in str(host.heard("log"))


def test_when_collections_are_rare_then_cycles_go_and_what_was_loaded_is_left_alone(
    host: HostProcess,
) -> None:
    assert host.run("graph", {"deed": "cycle"})["output"]["said"] == "True True True"


def test_when_user_code_starts_a_program_then_it_has_no_connection_to_the_engine(host: HostProcess) -> None:
    assert "3" not in host.run("graph", {"deed": "start"})["output"]["said"]


def test_when_user_code_blocks_the_loop_then_pings_are_answered_and_it_is_named(host: HostProcess) -> None:
    host.ask("describe", {})
    run_id = host.begin_run("graph", {"deed": "block"})
    host.until(lambda: "blocks" in host.output)
    assert host.ask("ping", {})["runs"] == 1
    assert all(done["run_id"] != run_id for done in host.heard("done"))
    assert host.end_of(run_id)["outcome"] == "success"
    host.run("graph", {"deed": "block"})
    host.until(lambda: any("blocked the event loop" in line["message"] for line in host.heard("log")))
    [named] = [line for line in host.heard("log") if "blocked the event loop" in line["message"]]
    assert re.match(r"agent\.py:\d+ in act blocked the event loop for \d\.\d s", named["message"])
    assert named["level"] == "WARNING"


def test_when_a_plain_function_outlives_its_run_then_the_log_says_so(host: HostProcess) -> None:
    run_id = host.begin_run("plain", {"deed": ""})
    host.until(lambda: "waits" in host.output)
    assert host.ask("cancel", {"run_id": run_id, "attempt": 1, "reason": "cancel"}) == {"found": True}
    assert host.end_of(run_id)["outcome"] == "cancelled"
    host.until(lambda: f"A node of run {run_id} went on after the run ended" in host.output)


def test_when_user_code_ends_the_process_then_all_that_it_printed_is_heard(doomed: HostProcess) -> None:
    doomed.begin_run("graph", {"deed": "much"})
    assert doomed.exit_code() == 1
    assert len(re.findall(r"^line \d+$", doomed.output, re.MULTILINE)) == 2000


def test_when_many_runs_are_under_way_then_the_host_tells_its_load(host: HostProcess) -> None:
    runs = [host.begin_run("graph", {"deed": "wait"}) for _ in range(8)]
    host.until(lambda: len(host.heard("load")) > 1)
    load = host.heard("load")[-1]
    assert 0 <= load["busy"] <= 1
    assert 0 < load["heap"] <= 1
    assert load["resident_bytes"] > 1_000_000
    for run_id in runs:
        host.ask("cancel", {"run_id": run_id, "attempt": 1, "reason": "drain"})
    assert {host.end_of(run_id)["outcome"] for run_id in runs} == {"cancelled"}


def test_when_the_project_does_not_load_then_runs_end_and_the_host_answers(tmp_path: Path) -> None:
    host = HostProcess(tmp_path, {"graph": "./nowhere.py:graph"})
    with pytest.raises(RuntimeError, match="no such file"):
        host.ask("describe", {})
    assert "no such file" in host.run("graph", {})["error"]["message"]
    assert host.ask("cancel", {"run_id": "r", "attempt": 1, "reason": "cancel"}) == {"found": False}
    host.close()


def test_when_the_host_is_stopped_then_it_ends_and_signals_do_not_end_it(doomed: HostProcess) -> None:
    doomed.ask("ping", {})
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        doomed.process.send_signal(name)
    assert doomed.ask("ping", {})["runs"] == 0
    doomed.begin_run("graph", {"deed": "wait"})
    assert doomed.ask("stop", {"grace_ms": 100}) == {}
    assert doomed.exit_code() == 0


def test_when_the_engine_is_gone_then_the_host_ends(doomed: HostProcess) -> None:
    doomed.begin_run("graph", {"deed": "wait"})
    doomed.socket.shutdown(2)
    assert doomed.exit_code() == 0


def test_when_the_engine_sends_no_frame_then_the_host_says_so_and_ends(doomed: HostProcess) -> None:
    doomed.socket.sendall(b"\xff" * 8)
    assert doomed.exit_code() == 70
    assert "The engine broke the protocol: a frame claims" in doomed.output
