import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@langchain/langgraph-sdk';
import type { Deployment, Revision, Template } from '@roadstead/contracts/control-plane';
import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { answerOf, callA2a, dataHome, startPlatform, userMessage } from '../support/platform.ts';

/** Every template in Python is deployed by its id, without a key, and does what its README says; one is worked on. */

const launcher = fileURLToPath(new URL('../../bin/roadstead.mjs', import.meta.url));

vi.setConfig({ testTimeout: 600_000, hookTimeout: 120_000 });

const names = [
  'python-approval-agent',
  'python-deep-agent',
  'python-retrieval-agent',
  'python-starter',
  'python-supervisor-agent',
  'python-tool-calling-agent',
] as const;
type Name = (typeof names)[number];

const ids = new Map<Name, string>();
const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path));
beforeAll(() => Promise.all(names.map(deploy)));

async function ask<T>(path: string, body?: object): Promise<T> {
  const answer = await platform().fetch(`${platform().url}${path}`, {
    headers: { 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return (await answer.json()) as T;
}

async function deploy(name: Name): Promise<void> {
  const source_config = { template_id: name };
  const body = { name, source: 'internal_template', source_config, source_revision_config: {}, secrets: [] };
  ids.set(name, (await ask<Deployment>('/v2/deployments', body)).id);
}

/** A client of the agent, once its revision serves. */
async function clientOf(name: Name): Promise<Client> {
  const read = async () => {
    const list = await ask<{ resources: Revision[] }>(`/v2/deployments/${ids.get(name)}/revisions`);
    return list.resources[0];
  };
  await expect
    .poll(async () => (await read())?.status, { timeout: 570_000, interval: 500 })
    .toMatch(/^(DEPLOYED|.*FAILED)$/);
  expect(await read()).toMatchObject({ status: 'DEPLOYED', status_reason: null });
  return new Client({
    apiUrl: `${platform().url}/agents/${name}`,
    apiKey: platform().key,
    callerOptions: { maxRetries: 0 },
  });
}

interface State {
  readonly messages: readonly { readonly type: string; readonly content: unknown; readonly name?: string }[];
}

const says = (text: string) => ({ messages: [{ role: 'user', content: text }] });

/** What an agent answers in a thread: its words as they come, and the state afterwards. */
async function talk(client: Client, { thread_id }: { readonly thread_id: string }, text: string) {
  const words: string[] = [];
  for await (const { event, data } of client.runs.stream(thread_id, 'agent', {
    input: says(text),
    streamMode: 'messages-tuple',
  })) {
    if (event !== 'messages') continue;
    const [{ type, content }] = data as unknown as [{ type: string; content: unknown }];
    if (type === 'AIMessageChunk' && typeof content === 'string' && content !== '') words.push(content);
  }
  const { values } = await client.threads.getState<State & Record<string, unknown>>(thread_id);
  return { words, values, answer: values.messages.at(-1)?.content };
}

test('when templates are listed, then no other in Python is left out', async () => {
  const { items } = await ask<{ items: Template[] }>('/v2/templates');
  expect(items.map(({ id }) => id).filter((id) => id.startsWith('python-'))).toEqual(names);
});

test('when python-starter is deployed, then its model streams, and it counts the turns', async () => {
  const client = await clientOf('python-starter');
  const thread = await client.threads.create();
  const first = await talk(client, thread, 'hi');
  expect(first.words).toEqual(['Hello! ', 'You ', 'said ', '"hi". ', 'That ', 'was ', 'turn ', '1.']);
  expect((await talk(client, thread, 'again')).answer).toBe('Hello! You said "again". That was turn 2.');
});

test('when the tool-calling agent needs two tools, then it calls them, and reads their errors', async () => {
  const client = await clientOf('python-tool-calling-agent');
  const thread = await client.threads.create();
  const hours = await talk(client, thread, 'How many hours are there between 2028-02-01 and 2028-03-01?');
  expect(hours.answer).toBe('The answer is 696.');
  expect(hours.values.messages.flatMap(({ type, name }) => (type === 'tool' ? [name] : []))).toEqual([
    'days_between',
    'calculate',
  ]);
  const time = await talk(client, thread, 'What time is it in Foo/Bar?');
  expect(time.answer).toBe('That did not work: There is no time zone Foo/Bar.');
});

test('when the retrieval agent was told something, then another conversation finds it', async () => {
  const client = await clientOf('python-retrieval-agent');
  const answers: unknown[] = [];
  for (const text of [
    'When does the office open?',
    'Remember: the harbour office opens at nine',
    'Remember: Ada likes tea',
    'When does the office open?',
  ])
    answers.push((await talk(client, await client.threads.create(), text)).answer);
  expect(answers).toEqual([
    'I have no note about that. Tell me with "Remember: …".',
    'Noted: the harbour office opens at nine',
    'Noted: Ada likes tea',
    'According to my notes: the harbour office opens at nine',
  ]);
});

test('when the supervisor is asked for a note, then its researcher and its writer work', async () => {
  const client = await clientOf('python-supervisor-agent');
  const thread = await client.threads.create();
  const note = await talk(client, thread, 'Write a note about Norway');
  expect(note.answer).toBe('Norway, home of 6 million people, is governed from Oslo.');
  expect(note.words.slice(0, 2)).toEqual(['Norway, ', 'home ']);
  expect((await talk(client, thread, 'And Peru?')).answer).toBe('Peru: Lima, 34 million people');
});

test('when the approval agent is to act, then it asks first, and goes on where it stopped', async () => {
  const client = await clientOf('python-approval-agent');
  const send = (text: string, more: object = {}) =>
    callA2a(platform(), 'python-approval-agent', 'message/send', userMessage(text, more));
  const { result: asked } = await send('Refund 20 euros');
  expect(asked.status.state).toBe('input-required');
  const { result: done } = await send('yes', { taskId: asked.id, contextId: asked.contextId });
  expect(answerOf(done)).toBe('Done: 20 euros are on their way.');

  const { thread_id } = await client.threads.create();
  await client.runs.wait(thread_id, 'agent', { input: says('Refund 30 euros') });
  const { interrupts } = await client.threads.get(thread_id);
  expect(Object.values(interrupts).flat()).toMatchObject([
    { value: 'Shall I refund 30 euros? Answer yes or no.' },
  ]);
  const left = await client.runs.wait(thread_id, 'agent', { command: { resume: 'no' } });
  expect((left as unknown as State).messages.at(-1)?.content).toBe('I left it: nothing was refunded.');
});

test('when the deep agent writes a report, then its plan and its file are in the state', async () => {
  const client = await clientOf('python-deep-agent');
  const { answer, values } = await talk(client, await client.threads.create(), 'Write a report about Lisbon');
  expect(answer).toBe('The report is in /report.md. Lisbon lies on seven hills above the Tagus.');
  expect(values).toMatchObject({
    todos: [
      { content: 'Look it up', status: 'completed' },
      { content: 'Write the report', status: 'completed' },
    ],
    files: {
      '/report.md': { content: '# Lisbon\n\nLisbon lies on seven hills above the Tagus.\n' },
    },
  });
});

test('when code in Python is saved in dev, then it is served with the packages that are there', async () => {
  const folder = join(home().path, 'worked-on');
  const made = await platform().run('init', folder, '--template', 'python-starter');
  expect([made.code, made.stdout]).toEqual([0, expect.stringContaining('uv pip install -r')]);
  const file = join(folder, 'agent', 'graph.py');
  const code = await readFile(file, 'utf8');
  const child = spawn(process.execPath, [launcher, 'dev', folder], {
    env: {
      ...process.env,
      ROADSTEAD_DATA_DIR: platform().folder,
      ROADSTEAD_URL: platform().url,
      NO_COLOR: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const ended = new Promise((done) => child.once('close', done));
  onTestFinished(() => void child.kill('SIGKILL'));
  const until = async (text: string) => {
    await expect.poll(() => said, { timeout: 300_000 }).toContain(text);
  };
  const answer = async () =>
    answerOf((await callA2a(platform(), 'worked-on-dev', 'message/send', userMessage('hi'))).result);
  await until('worked-on-dev serves at');
  expect(await answer()).toBe('Hello! You said "hi". That was turn 1.');

  await writeFile(file, code.replace('"Hello"', '"Ahoy"'));
  await until('serves the new code');
  expect(await answer()).toBe('Ahoy! You said "hi". That was turn 1.');
  const { resources } = await ask<{ resources: Deployment[] }>('/v2/deployments?limit=100');
  const found = resources.find(({ name }) => name === 'worked-on-dev');
  const revisions = await ask<{ resources: Revision[] }>(`/v2/deployments/${found?.id}/revisions`);
  const installed = revisions.resources.map(({ phases }) => phases.some(({ phase }) => phase === 'install'));
  // The revision before them was made with the deployment, and has no source.
  expect(installed.slice(0, 2)).toEqual([false, true]);

  await writeFile(file, `${code}\nthis is no Python\n`);
  await until('The revision that served keeps serving.');
  expect(said).toContain('agent/graph.py');
  child.kill('SIGINT');
  expect(await ended).toBe(0);
});
