"""Bearer tokens are names, of which some are known; what somebody made is seen by nobody else."""

from langgraph_sdk import Auth

auth = Auth()


@auth.authenticate
async def authenticate(authorization: str | None) -> dict:
    name = (authorization or "").removeprefix("Bearer ")
    if name not in ("alice", "bob"):
        raise Auth.exceptions.HTTPException(status_code=401, detail="Who are you?")
    return {"identity": name, "permissions": []}


@auth.on
async def own(ctx: Auth.types.AuthContext, value: dict) -> dict:
    if "metadata" in value:
        value["metadata"] = {**(value["metadata"] or {}), "owner": ctx.user.identity}
    return {"owner": ctx.user.identity}
