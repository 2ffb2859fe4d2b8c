import { fileURLToPath } from 'node:url';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client } from '@langchain/langgraph-sdk';
import type { Deployment, Revision } from '@roadstead/contracts/control-plane';
import { useFixture } from '@roadstead/testing';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { has_python, needsLanguage } from '../support/languages.ts';
import {
  answerOf,
  callA2a,
  dataHome,
  type SentTask,
  startPlatform,
  userMessage,
} from '../support/platform.ts';

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

const deploy = (folder: string) =>
  run('deploy', pathOf(folder), '--config', 'questions.json', '--name', 'gate');
const inJavascript = () => deploy('gate');
const inPython = () => deploy('python');
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

/** The ids of questions, by what they ask. */
type QuestionIds = Readonly<Record<string, string>>;
interface AskedThread {
  readonly thread_id: string;
  readonly ids: QuestionIds;
}

async function questionsOf(thread_id: string): Promise<QuestionIds> {
  const { tasks } = await client().threads.getState(thread_id);
  return Object.fromEntries(
    tasks.flatMap(({ interrupts }) => interrupts).map(({ id, value }) => [String(value), id ?? '']),
  );
}

async function ask(graph_id: string, text: string): Promise<AskedThread> {
  const { thread_id } = await client().threads.create();
  await client().runs.wait(thread_id, graph_id, { input: says(text) });
  return { thread_id, ids: await questionsOf(thread_id) };
}

const answer = (thread_id: string, graph_id: string, resume: unknown) =>
  client().runs.wait(thread_id, graph_id, { command: { resume } });

/** Speaks over A2A to the graph that asks two questions at once. */
async function sendTwice(text: string, more: object = {}): Promise<SentTask> {
  const params = userMessage(text, more);
  const answered = await platform().fetch(`${platform().url}/agents/gate/a2a/questions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: '1', method: 'message/send', params }),
  });
  return ((await answered.json()) as { result: SentTask }).result;
}

interface Questions {
  /** Threads on which two questions are open. */
  readonly threads: readonly [AskedThread, AskedThread, AskedThread];
  readonly single: AskedThread;
  readonly task: SentTask;
}

const begun: { javascript?: BegunThread; python?: BegunThread; cron_id?: string; questions?: Questions } = {};
beforeAll(async () => {
  if (!has_python) return;
  await inJavascript();
  begun.javascript = await begin('first');
  const twice = () => ask('questions', 'go');
  begun.questions = {
    threads: [await twice(), await twice(), await twice()],
    single: await ask('agent', 'ask'),
    task: await sendTwice('go'),
  };
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

const BOTH = ['go', 'left: one', 'noted in JavaScript', 'right: two'];

test('when JavaScript has asked several questions, then Python takes the answers by their ids', async () => {
  const { thread_id = '', ids = {} } = begun.questions?.threads[0] ?? {};
  expect(Object.keys(await questionsOf(thread_id)).toSorted()).toEqual(['Left?', 'Right?']);
  const ended = await answer(thread_id, 'questions', {
    [ids['Left?'] ?? '']: 'one',
    [ids['Right?'] ?? '']: 'two',
  });
  // What has ended in JavaScript is not done again.
  expect(textsOf(ended).toSorted()).toEqual(BOTH);
});

test('when questions of JavaScript are answered one by one, then the others stay open', async () => {
  const { thread_id = '', ids = {} } = begun.questions?.threads[1] ?? {};
  await answer(thread_id, 'questions', { [ids['Right?'] ?? '']: 'two' });
  expect(Object.keys(await questionsOf(thread_id))).toEqual(['Left?']);
  expect(textsOf(await answer(thread_id, 'questions', 'one')).toSorted()).toEqual(BOTH);
  const again = begun.questions?.threads[2] ?? { thread_id: '', ids: {} };
  await answer(again.thread_id, 'questions', { [again.ids['Right?'] ?? '']: 'two' });
  // Python has asked it again; its former id is as good.
  const last = await answer(again.thread_id, 'questions', { [again.ids['Left?'] ?? '']: 'one' });
  expect(textsOf(last).toSorted()).toEqual(BOTH);
});

test('when a question of JavaScript is answered by its id, then its graph in Python goes on', async () => {
  const { thread_id = '', ids = {} } = begun.questions?.single ?? {};
  const [id = ''] = Object.values(ids);
  expect(textsOf(await answer(thread_id, 'agent', { [id]: 'Ann' })).at(-1)).toBe('Hello, Ann!');
});

test('when JavaScript has asked two questions over A2A, then Python takes both answers', async () => {
  const { task } = begun.questions ?? {};
  expect(task?.status.state).toBe('input-required');
  const more = { taskId: task?.id, contextId: task?.contextId };
  const half = await sendTwice('three', more);
  expect(half.status.state).toBe('input-required');
  const ended = await sendTwice('four', more);
  expect(ended.status.state).toBe('completed');
  const said = JSON.stringify(ended);
  for (const word of ['three', 'four']) expect(said).toContain(word);
});

test('when Python asks over A2A, then the answer goes on, and its cron comes each second', async () => {
  begun.python = await begin('third');
  const { asked } = begun.python;
  expect(asked.status.state).toBe('input-required');
  expect(JSON.stringify(asked.status.message)).toContain('Who is there?');
  const another = await send('ask');
  const answered = await send('Eve', { taskId: another.id, contextId: another.contextId });
  expect(answerOf(answered)).toContain('Hello, Eve!');
  const newest = async () =>
    client().threads.search<State>({
      metadata: { of: 'cron' },
      limit: 20,
      sortBy: 'created_at',
      sortOrder: 'desc',
    });
  const before = (await newest()).at(0)?.created_at ?? '';
  const later = async () =>
    (await newest()).filter(
      ({ created_at, values }) => created_at > before && values.messages.at(-1)?.content === 'tick',
    );
  await expect.poll(later).not.toEqual([]);
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
