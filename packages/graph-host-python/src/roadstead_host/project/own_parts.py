"""The parts that a project may have beside its graphs: an app, rules of access, an embedder."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .exports import ProjectFolder
from .load_error import load_errors

if TYPE_CHECKING:
    from ..http.serve_app import ServedApp

Answer = Callable[[Mapping[str, Any]], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class OwnParts:
    # Their part of the manifest.
    manifest: Mapping[str, Any]
    answers: Mapping[str, Answer]
    app: ServedApp | None

    async def stop(self) -> None:
        if self.app is not None:
            await self.app.stop()


async def load_own_parts(named: Mapping[str, Any], folder: ProjectFolder) -> OwnParts:
    """
    Raises a sentence that says which part is wrong, and how. Modules are imported on another thread; those of
    ours that few projects need, where they need them.
    """
    manifest: dict[str, Any] = {}
    answers: dict[str, Answer] = {
        "authenticate": _missing("This revision has no auth of its own."),
        "authorize": _missing("This revision has no auth of its own."),
        "embed": _missing("This revision has no embedder: langgraph.json names no store.index."),
    }
    rules = named.get("auth")
    if rules:
        from .auth import create_auth

        who = f"auth ({rules['path']})"
        with load_errors(f"{who} could not be used", folder.root):
            auth = create_auth(await asyncio.to_thread(folder.export, rules["path"], who), who)
        manifest["auth"] = auth.facts
        answers |= {"authenticate": auth.authenticate, "authorize": auth.authorize}
    index = (named.get("store") or {}).get("index")
    if index:
        answers["embed"] = await asyncio.to_thread(_embedder, index, folder)
    path = (named.get("http") or {}).get("app")
    if not path:
        return OwnParts(manifest, answers, None)
    from ..http.serve_app import serve_app
    from ..http.user_app import create_user_app

    who = f"http.app ({path})"
    with load_errors(f"{who} could not be used", folder.root):
        app = create_user_app(await asyncio.to_thread(folder.export, path, who), who)
    manifest["app"] = app.description
    with load_errors(f"{who}: its startup failed", folder.root):
        return OwnParts(manifest, answers, await serve_app(app))


def _embedder(index: Mapping[str, Any], folder: ProjectFolder) -> Answer:
    from .embedder import load_embedder

    who = f"store.index.embed ({index['embed']})"
    with load_errors(f"{who} could not be used", folder.root):
        embed = load_embedder(index, lambda path: folder.export(path, who), folder.root)

    async def answer(params: Mapping[str, Any]) -> Any:
        return {"vectors": await embed(params["texts"])}

    return answer


def _missing(sentence: str) -> Answer:
    async def answer(_: Mapping[str, Any]) -> Any:
        raise LookupError(sentence)

    return answer
