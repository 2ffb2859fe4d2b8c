"""Projects that load, and what is said of those that do not."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from roadstead_host.channel.errors import LoadError
from roadstead_host.project.exports import ProjectFolder
from roadstead_host.project.load import LoadedGraphs, load_graphs
from roadstead_host.project.user_modules import extend_path

STORE = object()
BUILDER = """
from typing import TypedDict
from langgraph.graph import START, StateGraph
class State(TypedDict):
    value: str
builder = StateGraph(State).add_node("node", lambda state: {"value": __name__}).add_edge(START, "node")
"""

Project: TypeAlias = Callable[..., LoadedGraphs]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """Loads files as a project; what it imports is forgotten afterwards."""
    path, modules = [*sys.path], {*sys.modules}

    def load(files: dict[str, str], graphs: dict[str, Any], local: tuple[str, ...] = ()) -> LoadedGraphs:
        root = tmp_path.resolve()
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        extend_path([root, *(root / folder for folder in local)])
        named = {
            "graphs": {
                graph_id: entry if isinstance(entry, dict) else {"path": entry, "description": None}
                for graph_id, entry in graphs.items()
            }
        }
        return asyncio.run(load_graphs(named, ProjectFolder(root, root), STORE))

    yield load
    sys.path[:] = path
    for name in {*sys.modules} - modules:
        del sys.modules[name]


def value_of(loaded: LoadedGraphs, graph_id: str = "graph", **open_options: Any) -> Any:
    async def run() -> Any:
        config = {"configurable": {"thread_id": "t"}}
        async with loaded.find(graph_id).open(config, "threads.create_run", **open_options) as graph:
            return (await graph.ainvoke({"value": ""}))["value"]

    return asyncio.run(run())


def test_when_graphs_are_loaded_then_the_manifest_tells_of_them(project: Project) -> None:
    code = (
        BUILDER
        + "compiled = builder.compile().with_config(metadata={'a2a': {'name': 'A', 'version': '1'}})\n"
    )
    entry = {"path": "./app.py:compiled", "description": "Says its name.", "a2a": {"name": "B"}}
    loaded = project({"app.py": code}, {"one": entry, "two": "./app.py:builder", "three": "app:compiled"})
    one, two, three = loaded.manifest["graphs"]
    assert one == {
        "graph_id": "one",
        "description": "Says its name.",
        "channels": ["value"],
        "has_messages": False,
        "card": {"name": "B", "version": "1"},
    }
    assert (two["description"], "card" in two, three["card"]["name"]) == (None, False, "A")
    assert loaded.manifest["langgraph_version"] is not None
    assert loaded.manifest["stores_deltas"] is False


@pytest.mark.parametrize(
    ("file", "local", "name"),
    [
        ("app.py", (), "app"),
        ("src/agent/graph.py", ("src",), "agent.graph"),
        ("src/agent/graph.py", (), "src.agent.graph"),
        ("odd-name/my graph.py", (), "roadstead_project_odd_name_my_graph"),
        ("json.py", (), "roadstead_project_json"),
    ],
)
def test_when_a_file_is_loaded_then_it_has_the_name_by_which_others_import_it(
    project: Project, file: str, local: tuple[str, ...], name: str
) -> None:
    assert value_of(project({file: BUILDER}, {"graph": f"./{file}:builder"}, local)) == name


def test_when_files_have_the_same_name_then_each_is_loaded(project: Project) -> None:
    files = {"a/graph.py": BUILDER, "b/graph.py": BUILDER}
    loaded = project(files, {"a": "./a/graph.py:builder", "b": "./b/graph.py:builder"}, ("a", "b"))
    assert (value_of(loaded, "a"), value_of(loaded, "b")) == ("graph", "b.graph")


def test_when_a_file_imports_its_neighbours_then_both_ways_lead_to_one_module(project: Project) -> None:
    code = BUILDER + "from .state import words\nimport agent.state\nassert agent.state.words is words\n"
    files = {
        "src/agent/__init__.py": "from agent.graph import builder\n",
        "src/agent/state.py": "words = []\n",
    }
    loaded = project(
        {**files, "src/agent/graph.py": code}, {"graph": "./src/agent/graph.py:builder"}, ("src",)
    )
    assert value_of(loaded) == "agent.graph"


def test_when_the_package_of_a_file_does_not_load_then_the_file_does(project: Project) -> None:
    files = {"src/agent/__init__.py": "import agent.nowhere\n", "src/agent/graph.py": BUILDER}
    assert (
        value_of(project(files, {"graph": "./src/agent/graph.py:builder"}))
        == "roadstead_project_src_agent_graph"
    )


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("def make(): return builder", "app"),
        ("async def make(config): return builder.compile()", "app"),
        ("def make(config): return built(config['configurable'].get('thread_id'))", "t"),
        (
            "def make(settings: dict, runtime: ServerRuntime): return built(runtime.access_context)",
            "threads.create_run",
        ),
        (
            "def make(runtime: 'ServerRuntime[dict]'):\n    return built(getattr(runtime, 'context', 0))",
            "context",
        ),
        ("def make(runtime: ServerRuntime): return built(runtime.store)", "store"),
        ("def make(runtime: ServerRuntime, config: RunnableConfig): return built(config['tags'])", "[]"),
        ("@asynccontextmanager\nasync def make(config):\n    yield builder", "app"),
        ("@contextmanager\ndef make():\n    yield builder.compile()", "app"),
        ("from functools import partial\nmake = partial(lambda graph, config: graph, builder)", "app"),
        ("class Maker:\n    def __call__(self, config): return builder\nmake = Maker()", "app"),
        ("def make(config, size=3): return built(size)", "3"),
        ("def make(): return built(get_config()['configurable'].get('thread_id'))", "t"),
        ("async def main(): return builder.compile()\nmake = main()", "app"),
        ("import asyncio\nasync def main(): return builder\nmake = asyncio.run(main())", "app"),
        ("make = builder.compile().with_config(tags=['x'])", "app"),
    ],
)
def test_when_a_graph_is_made_in_any_way_then_it_runs(project: Project, code: str, value: str) -> None:
    code = f"""{BUILDER}
from contextlib import asynccontextmanager, contextmanager
from langchain_core.runnables import RunnableConfig
from langgraph.config import get_config
from langgraph_sdk.runtime import ServerRuntime
def built(value):
    return StateGraph(State).add_node("node", lambda state: {{"value": str(value)}}).add_edge(START, "node")
{code}
"""
    loaded = project({"app.py": code}, {"graph": "./app.py:make"})
    assert value_of(loaded, store="store", context="context") == value


def test_when_a_factory_opens_something_then_it_is_closed_after_each_use(project: Project) -> None:
    code = (
        BUILDER
        + """
from contextlib import asynccontextmanager
log = []
@asynccontextmanager
async def make():
    log.append("open")
    yield builder.compile()
    log.append("close")
"""
    )
    loaded = project({"app.py": code}, {"graph": "./app.py:make"})
    value_of(loaded)
    assert sys.modules["app"].log == ["open", "close"] * 2


def test_when_a_path_names_no_export_then_the_graph_of_the_module_is_taken(project: Project) -> None:
    loaded = project({"app.py": BUILDER + "graph = builder.compile()\n"}, {"graph": "./app.py"})
    assert value_of(loaded) == "app"
    loaded = project({"other.py": "import re\n" + BUILDER}, {"graph": "./other.py"})
    assert value_of(loaded) == "other"
    with pytest.raises(LoadError, match="its module has no graph"):
        project({"empty.py": "x = 1\n"}, {"graph": "./empty.py"})


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (
            "\nimport nowhere_at_all",
            "No module named 'nowhere_at_all' (app.py:2)",
            "Nothing named nowhere_at_all",
        ),
        ("\ndef f(:", "invalid syntax (app.py:2)", None),
        ("def make():\n    raise KeyError('x')\nmake()", "KeyError: 'x' (app.py:2)", None),
        (
            "from .state import x",
            "attempted relative import with no known parent package",
            "no part of a package",
        ),
        ("import sys\nsys.exit(3)", "SystemExit: 3 (app.py:2)", None),
        ("x = 1", "has no “graph”; there are: x.", None),
        ("graph = 42", "is not a graph but int", None),
        ("def graph(a, b, c): ...", "parameters are not known", None),
        ("def graph(*all): ...", "parameters are not known", None),
        ("def graph(): return 42", "is a function that returned no graph", None),
        ("def graph():\n    raise OSError('no disk')", "OSError: no disk (app.py:2)", None),
        (
            f"{BUILDER}\ngraph = StateGraph(State).add_edge('a', 'b')",
            "does not compile: ",
            None,
        ),
    ],
)
def test_when_a_graph_does_not_load_then_a_sentence_says_why_and_where(
    project: Project, text: str, message: str, hint: str | None
) -> None:
    with pytest.raises(LoadError) as caught:
        project({"app.py": text}, {"the graph": "./app.py:graph"})
    assert message in str(caught.value)
    assert "Graph “the graph” (./app.py:graph)" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert (hint or "") in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("./nowhere.py:graph", "there is no such file"),
        ("nowhere.at.all:graph", "No module named 'nowhere'"),
    ],
)
def test_when_a_path_leads_nowhere_then_the_error_names_it(project: Project, path: str, message: str) -> None:
    with pytest.raises(LoadError, match=message):
        project({}, {"graph": path})


def test_when_an_unknown_graph_is_asked_for_then_the_error_names_it(project: Project) -> None:
    with pytest.raises(LookupError, match="no graph “nobody”"):
        project({}, {}).find("nobody")


def test_when_a_dependency_is_the_file_of_the_graph_then_it_loads(project: Project) -> None:
    loaded = project({"harbour.py": BUILDER}, {"agent": "./harbour.py:builder"}, local=("harbour.py",))
    assert [*loaded.by_id] == ["agent"]
