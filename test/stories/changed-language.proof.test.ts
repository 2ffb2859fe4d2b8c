import { fileURLToPath } from 'node:url';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client } from '@langchain/langgraph-sdk';
import type { Deployment, Revision } from '@roadstead/contracts/control-plane';
import { useFixture } from '@roadstead/testing';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { has_python, needsLanguage } from '../support/languages.ts';
import { answerOf, callA2a, dataHome, startPlatform, userMessage } from '../support/platform.ts';

/** An agent is written again in another language: its threads, crons and traces go on, and so does what came before. */

const pathOf = (folder: string) => fileURLToPath(new URL(`../agents/${folder}`, import.meta.url));
const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path));
const client = () =>
  new Client({
    apiUrl: `${platform().url}/agents/gate`,
    apiKey: platform().key,
    callerOptions: { maxRetries: 0 },
  });
beforeEach((context) => needsLanguage('python', context));

async function run(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await platform().run(...args);
  if (code !== 0) throw new Error((stdout + stderr).slice(-2000));
  return stdout + stderr;
}

const inJavascript = () => run('deploy', pathOf('gate'), '--name', 'gate');
const inPython = () => run('deploy', pathOf('python'), '--config', 'gate.json', '--name', 'gate');
const send = async (text: string, more: object = {}) =>
  (await callA2a(platform(), 'gate', 'message/send', userMessage(text, more))).result;
const says = (content: string) => ({ messages: [{ role: 'user', content }] });

interface State {
  readonly messages: readonly { readonly content: string }[];
}
const textsOf = (state: unknown) => (state as State).messages.map(({ content }) => content);

interface BegunThread {
  /** A thread on which one run has ended. */
  readonly thread_id: string;
  /** A task that asks. */
  readonly asked: Awaited<ReturnType<typeof send>>;
}

async function begin(text: string): Promise<BegunThread> {
  const { thread_id } = await client().threads.create();
  await client().runs.wait(thread_id, 'agent', { input: says(text) });
  return { thread_id, asked: await send('ask') };
}

const begun: { javascript?: BegunThread; python?: BegunThread; cron_id?: string } = {};
beforeAll(async () => {
  if (!has_python) return;
  await inJavascript();
  begun.javascript = await begin('first');
  const { cron_id } = await client().crons.create('agent', {
    schedule: '* * * * * *',
    input: says('tick'),
    onRunCompleted: 'keep',
    metadata: { of: 'cron' },
  });
  begun.cron_id = cron_id;
  await inPython();
});

test('when the agent is one in Python, then it goes on with threads of that in JavaScript', async () => {
  const { thread_id = '' } = begun.javascript ?? {};
  const before = await client().threads.getState(thread_id);
  expect(textsOf(before.values)).toEqual(['first', 'Let me see.', 'first']);
  const after = await client().runs.wait(thread_id, 'agent', { input: says('second') });
  const texts = ['first', 'Let me see.', 'first', 'second', 'Let me see.', 'second'];
  expect(textsOf(after)).toEqual(texts);
  const [newest, ...older] = await client().threads.getHistory(thread_id, { limit: 100 });
  expect(textsOf(newest?.values)).toEqual(texts);
  const [fork] = older.filter(({ values, next }) => next.length === 0 && textsOf(values).length === 3);
  const checkpoint = fork?.checkpoint;
  const forked = await client().runs.wait(thread_id, 'agent', {
    input: says('other'),
    ...(checkpoint ? { checkpoint } : {}),
  });
  expect(textsOf(forked)).toEqual(['first', 'Let me see.', 'first', 'other', 'Let me see.', 'other']);
});

test('when JavaScript has asked, then an answer goes on in Python', async () => {
  const { asked } = begun.javascript ?? {};
  expect(asked?.status.state).toBe('input-required');
  const answered = await send('Ann', { taskId: asked?.id, contextId: asked?.contextId });
  expect([answered.status.state, answerOf(answered)]).toEqual([
    'completed',
    expect.stringContaining('Hello, Ann!'),
  ]);
});

test('when Python asks over A2A, then the answer goes on, and its cron comes each second', async () => {
  begun.python = await begin('third');
  const { asked } = begun.python;
  expect(asked.status.state).toBe('input-required');
  expect(JSON.stringify(asked.status.message)).toContain('Who is there?');
  const another = await send('ask');
  const answered = await send('Eve', { taskId: another.id, contextId: another.contextId });
  expect(answerOf(answered)).toContain('Hello, Eve!');
  const runs = async () => {
    const threads = await client().threads.search<State>({ metadata: { of: 'cron' }, limit: 100 });
    return threads.filter(({ values }) => values.messages.at(-1)?.content === 'tick').length;
  };
  const before = await runs();
  await expect.poll(runs).toBeGreaterThan(before);
  await client().crons.delete(begun.cron_id ?? '');
});

test('when a tool of MCP reads its traces, then a question is no error', async () => {
  const mcp = new McpClient({ name: 'story', version: '1' });
  const requestInit = { headers: { 'x-api-key': platform().key } };
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`${platform().url}/mcp`), { requestInit }));
  const call = async (name: string, given: Record<string, unknown>) =>
    (await mcp.callTool({ name, arguments: given })).structuredContent as Record<string, unknown>;
  const { contextId = '' } = begun.python?.asked ?? {};
  const history = async () =>
    call('get_thread_history', { thread_id: contextId, project_name: 'gate', page_number: 1 });
  await expect.poll(async () => JSON.stringify(await history().catch(() => ''))).toContain('Let me see.');
  const failed = { project_name: 'gate', limit: 50, error: 'true' };
  expect(await call('fetch_runs', failed)).toMatchObject({ runs: [] });
  await client()
    .runs.wait(null, 'agent', { input: says('fail') })
    .catch(() => undefined);
  await expect.poll(async () => JSON.stringify(await call('fetch_runs', failed))).toContain('no luck');
  await mcp.close();
});

test('when it is rolled back, then nothing is built, and threads of Python are refused in words', async () => {
  await run('rollback', 'gate');
  const { resources } = (await (
    await platform().fetch(`${platform().url}/v2/deployments?name=gate`)
  ).json()) as { resources: Deployment[] };
  const list = await platform().fetch(`${platform().url}/v2/deployments/${resources[0]?.id}/revisions`);
  const { resources: revisions } = (await list.json()) as { resources: Revision[] };
  expect(revisions[0]?.phases.map(({ phase }) => phase)).not.toContain('install');
  // That of JavaScript was gone on with in Python.
  const threads = [begun.javascript?.thread_id ?? '', begun.python?.thread_id ?? ''];
  const words = 'was written by graphs in Python';
  for (const thread_id of threads) {
    await expect(client().threads.getState(thread_id)).rejects.toThrow(words);
    const refused = client().runs.wait(thread_id, 'agent', { input: says('more') });
    await expect(refused).rejects.toThrow(words);
  }
  const { asked } = begun.python ?? {};
  const answered = await send('Ann', { taskId: asked?.id, contextId: asked?.contextId });
  expect([answered.status.state, JSON.stringify(answered.status.message)]).toEqual([
    'rejected',
    expect.stringContaining(words),
  ]);
  expect(answerOf(await send('hello'))).toContain('hello');
  await run('rollback', 'gate', '--to', revisions[1]?.id ?? '');
  expect(textsOf((await client().threads.getState(threads[1] ?? '')).values)[0]).toBe('third');
}, 240_000);
