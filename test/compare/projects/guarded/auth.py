"""Knows two people and a reader by their tokens. People see what is theirs; the reader changes nothing."""

from langgraph_sdk import Auth

auth = Auth()

PEOPLE = {"ann-token": "ann", "bob-token": "bob", "reader-token": "reader"}


@auth.authenticate
async def authenticate(authorization: str | None) -> dict:
    token = (authorization or "").removeprefix("Bearer ")
    name = PEOPLE.get(token)
    if name is None:
        raise Auth.exceptions.HTTPException(status_code=401, detail="Who is this?")
    permissions = ["read"] if name == "reader" else ["read", "write"]
    return {"identity": name, "display_name": name.title(), "permissions": permissions, "team": "blue"}


@auth.on
async def own(ctx: Auth.types.AuthContext, value: dict) -> dict:
    owner = {"owner": ctx.user.identity}
    if "write" not in ctx.permissions and ctx.action not in ("read", "search"):
        raise Auth.exceptions.HTTPException(status_code=403, detail="Readers change nothing.")
    value.setdefault("metadata", {}).update(owner)
    return owner


@auth.on.assistants
async def share(ctx: Auth.types.AuthContext, value: dict) -> bool:
    return ctx.action in ("read", "search") or ctx.user.identity == "ann"


@auth.on.store
async def own_notes(ctx: Auth.types.AuthContext, value: dict) -> None:
    value["namespace"] = (ctx.user.identity, *(value.get("namespace") or ()))
