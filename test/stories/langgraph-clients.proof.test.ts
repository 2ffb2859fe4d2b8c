import { useFixture } from '@roadstead/testing';
import { pythonWith } from '@roadstead/testing/processes';
import { describe, expect, test } from 'vitest';
import { languages, needsLanguage } from '../support/languages.ts';
import { clientsSuite } from './clients-suite.ts';
import { useGate } from './gate.ts';

/** The programs of `langgraph-clients.test.ts` with an agent in Python, and the same in Python with an agent in each language. */

const python = useFixture(() => pythonWith(['langgraph-sdk==0.4.14', 'langgraph==1.2.22']));
const gate = useGate(languages);
const { platform, address } = gate;

describe('an agent in Python', () => {
  clientsSuite('python', gate);
});

test.for(languages)(
  'when the Python SDK and its RemoteGraph use an agent in %s, then they work',
  async (language, context) => {
    needsLanguage(language, context);
    const client = python();
    if (typeof client === 'string') return context.skip(client);
    // It throws where anything is not as said.
    await expect(client.run(PROGRAM, { URL: address(language), KEY: platform().key })).resolves.toBe('');
  },
);

const PROGRAM = `
import asyncio, os, uuid
from langgraph_sdk import get_client
from langgraph.pregel.remote import RemoteGraph
from langgraph.types import Command

url, key = os.environ["URL"], os.environ["KEY"]
says = lambda text: {"messages": [{"role": "user", "content": text}]}
texts = lambda state: [one["content"] for one in state["messages"]]

async def main():
    client = get_client(url=url, api_key=key)
    thread = await client.threads.create()
    thread_id = thread["thread_id"]
    created = []
    values = await client.runs.wait(thread_id, "agent", input=says("hello"), on_run_created=created.append)
    assert texts(values) == ["hello", "Let me see.", "hello"], values
    assert created[0]["thread_id"] == thread_id, created

    parts = [part async for part in client.runs.stream(thread_id, "agent", input=says("again"), stream_mode=["updates", "values"])]
    assert parts[0].event == "metadata" and parts[-1].event == "values", parts
    run_id = parts[0].data["run_id"]
    replayed = [part async for part in client.runs.join_stream(thread_id, run_id, last_event_id="-1")]
    assert [part.id for part in replayed] == [part.id for part in parts], replayed

    run = await client.runs.create(thread_id, "agent", input=says("wait " + str(uuid.uuid4())))
    try:
        await client.runs.create(thread_id, "agent", input=says("second"), multitask_strategy="reject")
        raise AssertionError("a second run was not rejected")
    except Exception as error:
        assert "409" in str(error) or "Conflict" in type(error).__name__, repr(error)
    values = await client.runs.wait(thread_id, "agent", input=says("now"), multitask_strategy="rollback")
    assert texts(values)[-1] == "now" and not any(text.startswith("wait") for text in texts(values)), values
    run = await client.runs.create(thread_id, "agent", input=says("wait " + str(uuid.uuid4())))
    await client.runs.cancel(thread_id, run["run_id"], wait=True)
    assert (await client.runs.get(thread_id, run["run_id"]))["status"] == "interrupted"
    try:
        await client.runs.wait(thread_id, "agent", input=says("fail"))
        raise AssertionError("a failure was not raised")
    except Exception as error:
        assert "failed" in str(error) or "Error" in str(error), repr(error)

    asked = await client.runs.wait(None, "agent", input=says("ask"), on_completion="keep")
    assert asked["__interrupt__"][0]["value"] == {"question": "Who is there?"}, asked
    batch = await client.runs.create_batch([{"assistant_id": "agent", "input": says("one")}])
    ended = await client.runs.join(batch[0]["thread_id"], batch[0]["run_id"])
    assert texts(ended)[-1] == "one", ended

    history = await client.threads.get_history(thread_id, limit=50)
    first = [state for state in history if len(state["values"].get("messages", [])) == 3 and not state["next"]][-1]
    forked = await client.runs.wait(thread_id, "agent", input=says("fork"), checkpoint=first["checkpoint"])
    assert texts(forked) == ["hello", "Let me see.", "hello", "fork", "Let me see.", "fork"], forked

asyncio.run(main())

graph = RemoteGraph("agent", url=url, api_key=key)
config = {"configurable": {"thread_id": str(uuid.uuid4())}}
assert texts(graph.invoke(says("hello"), config))[-1] == "hello"
asked = graph.invoke(says("ask"), config)
assert graph.get_state(config).next == ("act",), graph.get_state(config)
assert texts(graph.invoke(Command(resume="Ann"), config))[-1] == "Hello, Ann!"
assert len(list(graph.get_state_history(config))) > 3
`;
