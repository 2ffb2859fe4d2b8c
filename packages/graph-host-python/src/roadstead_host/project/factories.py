"""Functions of the project that make a graph for each run or question."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config, var_child_runnable_config

from ..channel.errors import LoadError

# The purpose that a graph is made for: a factory may leave out what only a run needs.
AccessContext: TypeAlias = Literal["threads.create_run", "threads.read", "threads.update", "assistants.read"]


@dataclass(frozen=True, slots=True)
class GraphAccess:
    """The facts that a factory may learn about the run or question that it makes a graph for."""

    access: AccessContext
    store: Any
    user: Any = None
    context: Any = None


@dataclass(frozen=True, slots=True)
class Factory:
    make: Callable[..., Any]
    # The names of its parameters.
    config: str | None
    runtime: str | None

    async def open(self, config: Mapping[str, Any], access: GraphAccess, stack: AsyncExitStack) -> Any:
        """Answers what the function made; what it opened is closed with the stack."""
        whole = ensure_config(RunnableConfig(**config))  # type: ignore[typeddict-item]
        arguments: dict[str, Any] = {}
        if self.config is not None:
            arguments[self.config] = whole
        if self.runtime is not None:
            arguments[self.runtime] = _server_runtime(access)
        # LangGraph's `get_config` answers within the function, too.
        token = var_child_runnable_config.set(whole)
        try:
            return await _opened(self.make(**arguments), stack)
        finally:
            var_child_runnable_config.reset(token)


def factory_of(make: Callable[..., Any], who: str) -> Factory:
    """
    Told by the parameters: without any, one for the configuration, one that is a `ServerRuntime`, or both in
    any order.
    """
    try:
        parameters = [*inspect.signature(make).parameters.values()]
    except (TypeError, ValueError):
        return Factory(make, None, None)
    hints = _hints_of(make)
    runtimes = [one.name for one in parameters if _is_runtime(hints.get(one.name, one.annotation))]
    others = [one.name for one in parameters if one.name not in runtimes]
    needed = [one for one in parameters if one.name in others and one.default is one.empty]
    if len(parameters) > len(runtimes) + 1 and len(needed) <= 1:
        # Parameters with a default are the function's own.
        others = [one.name for one in needed]
    if len(runtimes) > 1 or len(others) > 1 or any(_is_variadic(one) for one in needed):
        raise LoadError(
            f"{who} is a function whose parameters are not known: it may take a configuration "
            "(config: RunnableConfig), a runtime (runtime: ServerRuntime), or both."
        )
    return Factory(make, next(iter(others), None), next(iter(runtimes), None))


def _is_variadic(parameter: inspect.Parameter) -> bool:
    return parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY)


async def _opened(made: Any, stack: AsyncExitStack) -> Any:
    if inspect.isawaitable(made):
        made = await made
    if hasattr(made, "__aenter__"):
        return await stack.enter_async_context(made)
    if hasattr(made, "__enter__"):
        return stack.enter_context(made)
    return made


def _runtime_classes() -> tuple[Any, Any, Any] | None:
    """None where the project's SDK has no runtime for factories."""
    try:
        from langgraph_sdk import runtime
    except ImportError:
        return None
    return runtime.ServerRuntime, runtime._ExecutionRuntime, runtime._ReadRuntime


def _hints_of(make: Callable[..., Any]) -> dict[str, Any]:
    """Annotations may be texts, of names that are imported for the type checker alone."""
    classes = _runtime_classes()
    names: dict[str, Any] = {"RunnableConfig": RunnableConfig}
    if classes is not None:
        names["ServerRuntime"] = classes[0]
    made = getattr(make, "__wrapped__", make)
    function = made if inspect.isroutine(made) or inspect.isclass(made) else type(made).__call__
    try:
        return typing.get_type_hints(function, localns=names)
    except Exception:
        return {}


def _is_runtime(annotation: Any) -> bool:
    """Such as `ServerRuntime`, `ServerRuntime[Context]` or `Annotated` of these."""
    classes = _runtime_classes()
    if classes is None or annotation is inspect.Parameter.empty:
        return False
    if isinstance(annotation, str):
        return annotation.partition("[")[0].rpartition(".")[2] == "ServerRuntime"
    if annotation is classes[0] or typing.get_origin(annotation) is classes[0]:
        return True
    if isinstance(annotation, type):
        return issubclass(annotation, classes[1:])
    return any(map(_is_runtime, typing.get_args(annotation)[:1]))


def _server_runtime(access: GraphAccess) -> Any:
    classes = _runtime_classes()
    if classes is None:
        return None
    fields = {"access_context": access.access, "user": access.user, "store": access.store}
    if access.access == "threads.create_run":
        return classes[1](**fields, context=access.context)
    return classes[2](**fields)
