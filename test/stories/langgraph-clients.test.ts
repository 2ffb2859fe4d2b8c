import { fileURLToPath } from 'node:url';
import { HumanMessage } from '@langchain/core/messages';
import { Command } from '@langchain/langgraph';
import { RemoteGraph } from '@langchain/langgraph/remote';
import { Client } from '@langchain/langgraph-sdk';
import { listen, toNodeListener } from '@roadstead/http';
import { useFixture } from '@roadstead/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, chatPage, rests, said, say } from '@roadstead/testing/browser';
import { dataHome, freePort, type RunningPlatform, startPlatform } from '../support/platform.ts';
import { pythonWith } from '@roadstead/testing/processes';

/** Programs written for the original's server talk to an agent that is deployed here, unmodified. */

const python = await pythonWith(['langgraph-sdk==0.4.14', 'langgraph==1.2.22']);
let platform: RunningPlatform;
const home = useFixture(dataHome);
const port = useFixture(freePort);
beforeAll(async () => {
  platform = await startPlatform(home().path, { port: port() });
  const folder = fileURLToPath(new URL('../agents/gate', import.meta.url));
  const deployed = await platform.run('deploy', folder, '--name', 'gate');
  if (deployed.code !== 0) throw new Error(deployed.stderr);
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
});

const address = () => `${platform.url}/agents/gate`;
const client = () => new Client({ apiUrl: address(), apiKey: platform.key });
const says = (content: string) => ({ messages: [{ role: 'user', content }] });
const textsOf = (state: unknown) =>
  (state as { messages: { content: string }[] }).messages.map(({ content }) => content);

test('when RemoteGraph is used, then it runs, streams, asks, is answered, and has a history', async () => {
  const graph = new RemoteGraph({ graphId: 'agent', url: address(), apiKey: platform.key });
  const { thread_id } = await client().threads.create();
  const config = { configurable: { thread_id } };
  const said = await graph.invoke({ messages: [new HumanMessage('hello')] }, config);
  expect(textsOf(said)).toEqual(['hello', 'Let me see.', 'hello']);
  const updates: unknown[] = [];
  for await (const update of await graph.stream(says('again'), { ...config, streamMode: 'updates' }))
    updates.push(...Object.keys(update as object));
  expect(updates).toEqual(['begin', 'act']);
  await graph.invoke(says('ask'), config).catch(() => undefined);
  const asked = await graph.getState(config);
  expect(asked.next).toEqual(['act']);
  expect(asked.tasks[0]?.interrupts[0]?.value).toEqual({ question: 'Who is there?' });
  const answered = await graph.invoke(new Command({ resume: 'Ann' }), config);
  expect(textsOf(answered).at(-1)).toBe('Hello, Ann!');
  const states = [];
  for await (const state of graph.getStateHistory(config)) states.push(state);
  expect(states.length).toBeGreaterThan(5);
});

test('when a stream ends, then its links take feedback on the trace of its run', async () => {
  const options = { input: says('hello'), feedbackKeys: ['helpful'], onCompletion: 'keep' as const };
  const parts = [];
  for await (const part of client().runs.stream(null, 'agent', options)) parts.push(part);
  const { event, data } = parts.at(-1) as { event: string; data: Readonly<Record<string, string>> };
  expect([event, Object.keys(data)]).toEqual(['feedback', ['helpful']]);
  const run_id = (parts[0]?.data as { readonly run_id: string } | undefined)?.run_id;
  const given = await fetch(data['helpful'] ?? '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ score: 1, comment: 'Thank you' }),
  });
  expect(given.status).toBe(200);
  const listed = await platform.fetch(`${platform.url}/api/v1/feedback?run=${run_id}`);
  expect(await listed.json()).toMatchObject([{ run_id, key: 'helpful', score: 1, comment: 'Thank you' }]);
  const traced = async () => (await platform.fetch(`${platform.url}/api/v1/runs/${run_id}`)).json();
  await expect.poll(traced).toMatchObject({
    id: run_id,
    feedback_stats: { helpful: { n: 1, avg: 1 } },
  });
});

test('when a client leaves, then its run ends through the router, too', async () => {
  const thread_id = crypto.randomUUID();
  const gone = new AbortController();
  const response = await platform.fetch(`${address()}/threads/${thread_id}/runs/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      assistant_id: 'agent',
      input: says(`wait ${crypto.randomUUID()}`),
      if_not_exists: 'create',
      on_disconnect: 'cancel',
    }),
    signal: gone.signal,
  });
  const [, run_id = ''] = /runs\/(.+)$/.exec(response.headers.get('content-location') ?? '') ?? [];
  await response.body?.getReader().read();
  gone.abort();
  await expect.poll(async () => (await client().runs.get(thread_id, run_id)).status).toBe('interrupted');
});

test('when a platform is killed and started again, then a stream goes on over it', async () => {
  const thread_id = crypto.randomUUID();
  const gate = crypto.randomUUID();
  const names: string[] = [];
  const stream = client().runs.stream(thread_id, 'agent', {
    input: says(`wait ${gate}`),
    streamMode: ['updates'],
    ifNotExists: 'create',
  });
  for await (const { event, data } of stream) {
    names.push(event === 'updates' ? String(Object.keys(data)) : event);
    if (names.at(-1) !== 'begin') continue;
    await platform.kill();
    platform = await startPlatform(home().path, { port: port() });
    await client().runs.wait(null, 'agent', { input: says(`open ${gate}`) });
  }
  expect(names.at(-1)).toBe('act');
  expect(names.filter((name) => name === 'metadata').length).toBeGreaterThan(1);
  const [run] = await client().runs.list(thread_id);
  expect(textsOf(await client().runs.join(thread_id, run?.run_id ?? '')).at(-1)).toBe(`wait ${gate}`);
}, 120_000);

test('when pages of another origin have a key, then they chat and read headers of answers', async ({
  skip,
}) => {
  await using opened = await openBrowser();
  if (opened === undefined) return skip('no browser starts here');
  const answerPage = await chatPage();
  const listener = toNodeListener(
    async (request) => answerPage(request) ?? new Response(null, { status: 404 }),
  );
  await using pages = await listen(listener, { host: '127.0.0.1', port: 0 }, { drain_ms: 100 });
  const of_api = `assistant=agent&api=${encodeURIComponent(address())}&key=${platform.key}`;
  for (const hook of ['runs', 'events']) {
    const page = await (await opened.browser.newContext()).newPage();
    await page.goto(`http://127.0.0.1:${pages.port}/?hook=${hook}&${of_api}`);
    await say(page, 'ask');
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('Who is there?');
    await rests(page);
    await say(page, 'Ann');
    await expect.poll(() => said(page)).toEqual(['ask', 'Let me see.', 'Hello, Ann!']);
    const gate = crypto.randomUUID();
    await say(page, `wait ${gate}`);
    await expect.poll(() => said(page)).toHaveLength(5);
    await page.reload();
    await expect.poll(() => said(page)).toHaveLength(5);
    await client().store.putItem(['gates'], gate, { open: true });
    await expect.poll(async () => (await said(page)).at(-1)).toBe(`wait ${gate}`);
    await rests(page);
    await page.close();
  }
  const page = await opened.browser.newPage();
  await page.goto(`http://127.0.0.1:${pages.port}/`);
  const [searched, streamed, refused] = await page.evaluate(askFromPage, {
    api: address(),
    key: platform.key,
  });
  expect(searched).toEqual({
    status: 200,
    total: expect.stringMatching(/^\d+$/) as unknown,
    next: '1',
  });
  expect(streamed).toMatchObject({
    status: 200,
    place: expect.stringMatching(/^\/runs\/.+/) as unknown,
  });
  expect(refused).toMatchObject({ status: 401 });
});

interface ApiAccess {
  readonly api: string;
  readonly key: string;
}

/** Runs in a page. */
async function askFromPage({ api, key }: ApiAccess) {
  const send = async (path: string, { body, by = key }: { readonly body: object; readonly by?: string }) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': by };
    const { status, headers: told } = await fetch(`${api}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return { status, told };
  };
  const found = await send('/threads/search', { body: { limit: 1, metadata: { graph_id: 'agent' } } });
  const total = found.told.get('x-pagination-total');
  const next = found.told.get('x-pagination-next');
  const run = await send('/runs/stream', { body: { assistant_id: 'agent', input: { messages: 'Hi' } } });
  const none = await send('/threads/search', { body: {}, by: 'wrong' });
  return [
    { status: found.status, total, next },
    { status: run.status, place: run.told.get('content-location') },
    { status: none.status },
  ];
}

test('when the Python SDK and its RemoteGraph do the same, then it works as well', async ({ skip }) => {
  if (typeof python === 'string') return skip(python);
  // It throws where anything is not as said.
  await expect(python.run(PROGRAM, { URL: address(), KEY: platform.key })).resolves.toBe('');
}, 240_000);

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
