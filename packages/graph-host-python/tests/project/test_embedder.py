"""Embedders of a project, and what they may give."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from langchain_core.embeddings import Embeddings

from roadstead_host.channel.errors import LoadError
from roadstead_host.project.embedder import load_embedder

ROOT = Path("/project")


def lengths(texts: Sequence[str]) -> list[list[float]]:
    return [[float(len(text)), 1.0] for text in texts]


class Plain(Embeddings):
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return lengths(texts)

    def embed_query(self, text: str) -> list[float]:
        return lengths([text])[0]


class ByShape:
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return lengths(texts)


class Array:
    """Like NumPy's."""

    def __init__(self, values: list[list[float]]) -> None:
        self._values = values

    def tolist(self) -> list[list[float]]:
        return self._values


async def waiting(texts: Sequence[str]) -> list[list[float]]:
    await asyncio.sleep(0)
    return lengths(texts)


def embedded(exported: Any, embed: str = "./embed.py:embed", dims: int = 2) -> Any:
    work = load_embedder({"dims": dims, "embed": embed}, lambda _: exported, ROOT)
    return asyncio.run(_of(work))


async def _of(work: Any) -> Any:
    return await work(["hello", ""])


def later(texts: Sequence[str]) -> Any:
    return waiting(texts)


@pytest.mark.parametrize(
    "exported",
    [lengths, waiting, later, Plain(), ByShape(), lambda texts: Array(lengths(texts))],
)
def test_when_a_project_has_an_embedder_then_each_text_has_its_vector(exported: Any) -> None:
    assert embedded(exported) == [[5.0, 1.0], [0.0, 1.0]]


@pytest.mark.parametrize("embed", ["./embed.py:embed", "pkg.mod:embed", "embed.py:embed"])
def test_when_a_path_is_named_then_it_is_of_the_project(embed: str) -> None:
    assert embedded(lengths, embed) == [[5.0, 1.0], [0.0, 1.0]]


@pytest.mark.parametrize("exported", [None, object(), 7, Plain])
def test_when_an_export_is_no_embedder_then_the_start_fails_in_words(exported: Any) -> None:
    with pytest.raises(LoadError, match=r"^store\.index\.embed \(\./embed\.py:embed\) is no embedder"):
        embedded(exported)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ([[1.0, 2.0]], "other than one vector for each text"),
        ("ab", "other than one vector for each text"),
        (None, "other than one vector for each text"),
        ([[1.0, 2.0], [1.0]], "a vector that has not the 2 numbers"),
        ([[1.0, 2.0], [1.0, float("nan")]], "a vector that has not the 2 numbers"),
        ([[1.0, 2.0], "ab"], "a vector that has not the 2 numbers"),
        ([[1.0, 2.0], [1.0, None]], "a vector that has not the 2 numbers"),
    ],
)
def test_when_vectors_are_not_as_promised_then_nothing_is_stored(given: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        embedded(lambda _: given)


def module(init_embeddings: Any) -> ModuleType:
    made = ModuleType("langchain.embeddings")
    made.init_embeddings = init_embeddings  # type: ignore[attr-defined]
    return made


def test_when_a_provider_is_named_then_langchain_makes_its_embedder_once(monkeypatch: Any) -> None:
    made: list[str] = []

    def init_embeddings(named: str) -> Embeddings:
        made.append(named)
        return Plain()

    monkeypatch.setitem(sys.modules, "langchain.embeddings", module(init_embeddings))
    work = load_embedder({"dims": 2, "embed": "openai:small"}, lambda _: None, ROOT)
    assert made == []
    assert asyncio.run(_twice(work)) == [[[5.0, 1.0], [0.0, 1.0]]] * 2
    assert made == ["openai:small"]


async def _twice(work: Any) -> Any:
    return [await _of(work), await _of(work)]


def test_when_a_package_is_missing_then_it_is_named(monkeypatch: Any) -> None:
    with pytest.raises(RuntimeError, match=r"openai:small needs a package .*langchain[_-]openai"):
        embedded(None, "openai:small")
    monkeypatch.setitem(sys.modules, "langchain.embeddings", None)
    with pytest.raises(RuntimeError, match="openai:small needs the package langchain in the project"):
        embedded(None, "openai:small")


def test_when_a_provider_is_unknown_then_it_is_said_in_words() -> None:
    with pytest.raises(RuntimeError, match="nobody:small names no embedder"):
        embedded(None, "nobody:small")


@pytest.mark.parametrize("fails", ["making", "importing"])
def test_when_a_provider_fails_in_any_way_then_the_error_names_it(monkeypatch: Any, fails: str) -> None:
    def init_embeddings(named: str) -> Embeddings:
        raise TypeError("odd bases")

    class Broken(ModuleType):
        def __getattr__(self, name: str) -> Any:
            raise TypeError("odd bases")

    made = module(init_embeddings) if fails == "making" else Broken("langchain.embeddings")
    monkeypatch.setitem(sys.modules, "langchain.embeddings", made)
    with pytest.raises(
        LoadError, match=r"^store\.index\.embed: some:small could not be made: TypeError: odd"
    ):
        embedded(None, "some:small")
