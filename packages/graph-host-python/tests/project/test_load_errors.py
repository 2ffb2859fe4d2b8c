"""What code of a project raises while it is loaded, told in a sentence that names file, line and reason."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from pydantic import BaseModel

from roadstead_host.channel.errors import LoadError
from roadstead_host.project.exports import ProjectFolder
from roadstead_host.project.load import load_graphs
from roadstead_host.project.load_error import load_errors
from roadstead_host.project.own_parts import load_own_parts
from roadstead_host.project.user_modules import extend_path
from support.host_process import HostProcess

# What is raised, and how it is told.
FAULTS = {
    "raise TypeError('odd')": "TypeError: odd (fault.py:2)",
    "A = type('A', (), {}); type('C', (A, type('B', (A,), {})), {})": "TypeError: Cannot create a consistent",
    "raise KeyError('x')": "KeyError: 'x' (fault.py:2)",
    "raise RuntimeError": "RuntimeError (fault.py:2)",
    "raise ValueError('not\\nthis')": "not | this (fault.py:2)",
    "raise SyntaxError": "SyntaxError (fault.py:2)",
    "compile('x = 1\\ndef f(:', 'late.py', 'exec')": "invalid syntax (late.py:2)",
    "raise __import__('asyncio').CancelledError": "CancelledError (fault.py:2)",
    "raise SystemExit(3)": "SystemExit: 3 (fault.py:2)",
    "raise KeyboardInterrupt": "KeyboardInterrupt (fault.py:2)",
    "raise ExceptionGroup('many', [OSError('disk'), OSError()])": "OSError: disk (and 1 more) (fault.py:2)",
    "raise type('Mute', (Exception,), {'__str__': lambda self: 1 / 0})": "Mute (fault.py:2)",
    "from pydantic import TypeAdapter; TypeAdapter(int).validate_python('x')": "1 validation error for int |",
}
GRAPH = """
from typing import TypedDict
from langgraph.graph import START, StateGraph
class State(TypedDict):
    value: str
graph = StateGraph(State).add_node("node", lambda state: state).add_edge(START, "node")
"""
FAIL = "from fault import fail\n"
# Where it is raised: what `langgraph.json` names beside a graph, and the module `part`.
PLACES: dict[str, tuple[dict[str, Any], str]] = {
    "a graph’s module": ({"graphs": {"graph": {"path": "./part.py:graph"}}}, FAIL + "fail()"),
    "a graph’s package": ({"graphs": {"graph": {"path": "part:graph"}}}, FAIL + "fail()"),
    "a coroutine": (
        {"graphs": {"graph": {"path": "./part.py:graph"}}},
        FAIL + "async def make(): fail()\ngraph = make()",
    ),
    "a builder": (
        {"graphs": {"graph": {"path": "./part.py:graph"}}},
        FAIL + "class Builder:\n    def compile(self): fail()\ngraph = Builder()",
    ),
    "a factory": ({"graphs": {"graph": {"path": "./part.py:graph"}}}, FAIL + "def graph(): fail()"),
    "a property": (
        {"graphs": {"graph": {"path": "./part.py:graph"}}},
        FAIL + "class Odd:\n    compile = property(lambda self: fail())\ngraph = Odd()",
    ),
    "auth": ({"auth": {"path": "./part.py:auth"}}, FAIL + "fail()"),
    "handlers of auth": (
        {"auth": {"path": "./part.py:auth"}},
        FAIL + "class Odd:\n    _handlers = property(lambda self: fail())\nauth = Odd()",
    ),
    "an embedder": ({"store": {"index": {"embed": "./part.py:embed", "dims": 1}}}, FAIL + "fail()"),
    "an app": ({"http": {"app": "./part.py:app"}}, FAIL + "fail()"),
    "routes of an app": (
        {"http": {"app": "./part.py:app"}},
        FAIL + "class Odd:\n    router = property(lambda self: fail())\napp = Odd()",
    ),
    "the start of an app": (
        {"http": {"app": "./part.py:app"}},
        """
from contextlib import asynccontextmanager
from fault import fail
from starlette.applications import Starlette
@asynccontextmanager
async def lifespan(app):
    fail()
    yield
app = Starlette(lifespan=lifespan)
""",
    ),
}

Load: TypeAlias = Callable[[dict[str, str], dict[str, Any]], None]


@pytest.fixture
def load(tmp_path: Path) -> Iterator[Load]:
    """Loads files as a project; what it imports is forgotten afterwards."""
    path, modules = [*sys.path], {*sys.modules}

    def load(files: dict[str, str], named: dict[str, Any]) -> None:
        root = tmp_path.resolve()
        for name, text in files.items():
            (root / name).write_text(text)
        extend_path([root])
        folder = ProjectFolder(root, root)
        whole = {"graphs": {"good": {"path": "./good.py:graph"}}, **named}

        async def work() -> None:
            await load_graphs(whole, folder, object())
            await load_own_parts(whole, folder)

        asyncio.run(work())

    yield load
    sys.path[:] = path
    for name in {*sys.modules} - modules:
        del sys.modules[name]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("place", PLACES)
def test_when_anything_is_raised_anywhere_then_a_sentence_says_what_why_and_where(
    load: Load, place: str, fault: str
) -> None:
    named, code = PLACES[place]
    files = {"good.py": GRAPH, "part.py": code, "fault.py": f"def fail():\n    {fault}\n"}
    with pytest.raises(LoadError) as caught:
        load(files, named)
    words = str(caught.value)
    assert FAULTS[fault] in words
    assert "part" in words.partition(FAULTS[fault])[0]
    assert words.endswith(")")
    assert "\n" not in words


def test_when_a_module_fails_at_its_exports_then_a_sentence_says_so(load: Load) -> None:
    code = FAIL + "def __getattr__(name): fail()"
    files = {"part.py": code, "fault.py": "def fail():\n    raise KeyError('x')\n"}
    with pytest.raises(
        LoadError, match=r"^Graph “graph” .* could not be loaded: KeyError: 'x' \(fault\.py:2\)$"
    ):
        load(files, {"graphs": {"graph": {"path": "./part.py:graph"}}})


def test_when_settings_are_refused_then_their_values_are_not_told() -> None:
    class Settings(BaseModel):
        key: int
        place: list[int]

    with pytest.raises(LoadError) as raised, load_errors("graph", Path("/nowhere")):
        Settings.model_validate({"key": "secret-1", "place": ["secret-2"]})

    words = str(raised.value)
    assert "2 validation errors for Settings | key: Input should be" in words
    assert "| place.0: Input" in words
    assert "secret" not in words


def test_when_a_load_error_is_raised_within_another_then_it_stays_as_it_is() -> None:
    with (
        pytest.raises(LoadError, match=r"^The inner one: no luck$"),
        load_errors("The outer one", Path("/x")),
        load_errors("The inner one", Path("/x")),
    ):
        raise ValueError("no luck")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("import nowhere_at_all", "No module named 'nowhere_at_all'"),
        ("class A: ...\nclass B(A): ...\nclass C(A, B): ...", "TypeError: Cannot create a consistent"),
        ("import os\nos.nothing", "AttributeError: module 'os' has no attribute 'nothing'"),
        ("def f(:", "invalid syntax"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("from pydantic import BaseModel\nclass Odd(BaseModel): x: object() = 1", "PydanticSchema"),
    ],
)
@pytest.mark.parametrize("package", ["langgraph", "langchain_core"])
def test_when_a_package_of_langchain_does_not_load_then_a_sentence_says_why_and_where(
    tmp_path: Path, package: str, code: str, words: str
) -> None:
    folder = tmp_path / "site-packages" / package
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(code)
    host = HostProcess(tmp_path, {"graph": "./app.py:graph"}, {"PYTHONPATH": str(folder.parent)})
    with pytest.raises(RuntimeError) as caught:
        host.ask("describe", {})
    assert str(caught.value).startswith("The project’s LangGraph could not be loaded: " + words)
    assert f" (site-packages/{package}/__init__.py:{code.count(chr(10)) + 1})" in str(caught.value)
    assert str(caught.value) == host.run("graph", {})["error"]["message"]
    host.close()
