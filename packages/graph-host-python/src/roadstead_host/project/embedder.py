"""The embedder that `store.index` names."""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..channel.errors import LoadError
from .load_error import load_error
from .user_calls import call

Vectors = list[list[float]]
# Vectors of texts, one for each.
Embed = Callable[[Sequence[str]], Awaitable[Vectors]]
_Work = Callable[[list[str]], Awaitable[Any]]


def load_embedder(index: Mapping[str, Any], exported: Callable[[str], Any], root: Path) -> Embed:
    """
    One of the project that can't be loaded fails the start; one of a provider fails what needs it, since the
    graphs may run without. `exported` imports what a path of the project names.
    """
    named: str = index["embed"]
    work = _provider(named, root) if _is_of_provider(named) else _work_of(exported(named), named)

    async def embed(texts: Sequence[str]) -> Vectors:
        return _checked(await work(list(texts)), len(texts), index)

    return embed


def _is_of_provider(named: str) -> bool:
    """`provider:model`, where a path has a slash or a dot before its colon."""
    return not any(sign in named.partition(":")[0] for sign in "./\\")


def _provider(named: str, root: Path) -> _Work:
    """Made at the first use; a failure is tried again."""
    made: list[_Work] = []

    async def work(texts: list[str]) -> Any:
        if not made:
            made.append(await asyncio.to_thread(_make, named, root))
        return await made[0](texts)

    return work


def _make(named: str, root: Path) -> _Work:
    try:
        from langchain.embeddings import init_embeddings
    except ImportError as error:
        raise RuntimeError(
            f"store.index.embed: {named} needs the package langchain in the project: {error}"
        ) from error
    except Exception as error:
        raise load_error(f"store.index.embed: {named} could not be made", error, root) from error
    try:
        return _work_of(init_embeddings(named), named)
    except LoadError:
        raise
    except ImportError as error:
        raise RuntimeError(
            f"store.index.embed: {named} needs a package that the project does not have: {error}"
        ) from error
    except ValueError as error:
        raise RuntimeError(f"store.index.embed: {named} names no embedder: {error}") from error
    except Exception as error:
        raise load_error(f"store.index.embed: {named} could not be made", error, root) from error


def _work_of(exported: Any, named: str) -> _Work:
    is_class = inspect.isclass(exported)
    if not is_class and callable(getattr(exported, "aembed_documents", None)):
        return exported.aembed_documents  # type: ignore[no-any-return]
    by_texts = getattr(exported, "embed_documents", exported)
    if is_class or not callable(by_texts):
        raise LoadError(
            f"store.index.embed ({named}) is no embedder: "
            "neither a function of texts nor an object with embed_documents."
        )

    return lambda texts: call(by_texts, texts)


def _checked(vectors: Any, count: int, index: Mapping[str, Any]) -> Vectors:
    """Checks that the vectors have the promised form."""
    dims, named = index["dims"], index["embed"]
    found = _listed(vectors)
    if found is None or len(found) != count:
        raise ValueError(f"store.index.embed ({named}) gave other than one vector for each text.")
    checked = [_vector(one, dims) for one in found]
    if None in checked:
        raise ValueError(
            f"store.index.embed ({named}) gave a vector that has not the {dims} numbers "
            "that store.index.dims names."
        )
    return [one for one in checked if one is not None]


def _vector(vector: Any, dims: int) -> list[float] | None:
    numbers = _listed(vector)
    if numbers is None or len(numbers) != dims:
        return None
    try:
        floats = [float(one) for one in numbers]
    except (TypeError, ValueError):
        return None
    return floats if all(map(math.isfinite, floats)) else None


def _listed(values: Any) -> list[Any] | None:
    """A list, also of what NumPy gives."""
    if callable(getattr(values, "tolist", None)):
        values = values.tolist()
    return list(values) if isinstance(values, Sequence) and not isinstance(values, (str, bytes)) else None
