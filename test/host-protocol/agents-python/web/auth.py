"""`Bearer sesame` is ali. Threads are seen by their owner alone; assistants are read by nobody."""

from langgraph_sdk import Auth

auth = Auth()


@auth.authenticate
async def authenticate(authorization):
    if authorization != "Bearer sesame":
        raise Auth.exceptions.HTTPException(status_code=401, detail="Who are you?")
    return {"identity": "ali", "permissions": ["read"]}


@auth.on.threads
async def own_threads(ctx, value):
    return {"owner": ctx.user.identity}


@auth.on.assistants.read
async def read_no_assistant(ctx, value):
    return False
