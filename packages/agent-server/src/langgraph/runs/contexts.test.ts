import type { Database } from '@roadstead/postgres';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import type { Cron } from '../../crons/cron.ts';
import { listeningAgent } from '../../testing/listening-agent.ts';
import { cronRunOf } from '../crons/cron-run.ts';

/** What somebody says of a run reaches graphs that read the context, and those that read `configurable`. */

const listening = useFixture(listeningAgent);
const client = useFixture(() => listening().client());

interface Values {
  readonly messages: readonly { readonly content: string }[];
}

const input = { messages: [{ role: 'user', content: 'Where?' }] };
const saidIn = (values: unknown) => (values as Values).messages.at(-1)?.content;

/** An assistant of the graph that says what it reads. */
async function assistantOf(settings: object, graphId = 'desk'): Promise<string> {
  return (await client().assistants.create({ graphId, ...settings })).assistant_id;
}

test.each<[string, object, object, string]>([
  ['nobody says anything', {}, {}, 'front -'],
  ['a run configures', {}, { config: { configurable: { desk: 'left' } } }, 'left -'],
  ['a run has a context', {}, { context: { desk: 'left', level: 2 } }, 'left 2'],
  ['an assistant configures', { config: { configurable: { desk: 'back' } } }, {}, 'back -'],
  ['an assistant has a context', { context: { desk: 'back', level: 1 } }, {}, 'back 1'],
  [
    'a run configures what an assistant has in its context',
    { context: { desk: 'back', level: 1 } },
    { config: { configurable: { desk: 'left' } } },
    'left 1',
  ],
  [
    'a run has in its context what an assistant configures',
    { config: { configurable: { desk: 'back', level: 1 } } },
    { context: { desk: 'left' } },
    'left 1',
  ],
])('when %s, then both ways to read it tell the same', async (_, settings, run, expected) => {
  const assistant_id = await assistantOf(settings);
  const { thread_id } = await client().threads.create();
  const values = await client().runs.wait(thread_id, assistant_id, { input, ...run });
  expect(saidIn(values)).toBe(`${expected}, ${expected}`);
  const stream = client().threads.stream(thread_id, { assistantId: assistant_id });
  await stream.run.start({ input, ...run });
  expect(saidIn(await stream.output)).toBe(`${expected}, ${expected}`);
  await stream.close();
});

const configured = (configurable: object) => ({ config: { configurable: { ...configurable } } });

test.each<[string, object, object, string]>([
  ['a run', {}, configured({ user_id: 'u' }), '{"desk":"front"} u'],
  [
    'a run, which configures the desk, too,',
    {},
    configured({ user_id: 'u', desk: 'left' }),
    '{"desk":"left"} u',
  ],
  ['an assistant', configured({ user_id: 'u' }), { context: { desk: 'left' } }, '{"desk":"left"} u'],
])(
  'when %s configures what a strict context refuses, then its run goes well',
  async (_who, settings, run, expected) => {
    const assistant_id = await assistantOf(settings, 'strict-desk');
    const { thread_id } = await client().threads.create();
    expect(saidIn(await client().runs.wait(thread_id, assistant_id, { input, ...run }))).toBe(expected);
  },
);

test('when a run configures something, then neither its thread nor a later run has it', async () => {
  const assistant_id = await assistantOf({ config: { configurable: { desk: 'back' } } });
  const { thread_id } = await client().threads.create();
  const run = { input, ...configured({ desk: 'left' }) };
  expect(saidIn(await client().runs.wait(thread_id, assistant_id, run))).toBe('left -, left -');
  expect(saidIn(await client().runs.wait(thread_id, assistant_id, { input }))).toBe('back -, back -');
  expect((await client().threads.get(thread_id)).config).not.toHaveProperty('configurable');
});

test('when a context itself says what a strict one refuses, then its run ends in an error', async () => {
  const assistant_id = await assistantOf({}, 'strict-desk');
  const run = { input, context: { user_id: 'u' }, raiseError: false };
  expect(await client().runs.wait(null, assistant_id, run)).toHaveProperty('__error__');
});

test.each<[string, object, string]>([
  ['nothing', {}, 'front -'],
  ['a context', { context: { desk: 'back', level: 1 } }, 'back 1'],
  ['a configuration', { config: { configurable: { desk: 'back' } } }, 'back -'],
])(
  'when an assistant has %s, then its graph reads it over A2A and MCP, too',
  async (_, settings, expected) => {
    const assistant_id = await assistantOf({ name: crypto.randomUUID(), ...settings });
    const ask = async (path: string, method: string, params: object) => {
      const answer = await fetch(listening().url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      return answer.text();
    };
    const parts = [{ kind: 'text', text: 'Where?' }];
    const message = { role: 'user', messageId: crypto.randomUUID(), parts };
    expect(await ask(`/a2a/${assistant_id}`, 'message/send', { message })).toContain(
      `${expected}, ${expected}`,
    );
    const listed = await ask('/mcp', 'tools/list', {});
    const { name } = await client().assistants.get(assistant_id);
    const [tool] = new RegExp(`"name":"(${name}[^"]*)"`).exec(listed)?.slice(1) ?? [];
    expect(await ask('/mcp', 'tools/call', { name: tool, arguments: input })).toContain(
      `${expected}, ${expected}`,
    );
  },
);

test.each([
  ['configures', { config: { configurable: { desk: 'left' } } }],
  ['has a context', { context: { desk: 'left' } }],
])('when a cron %s, then its runs have both', async (_, payload) => {
  const assistant = {
    assistant_id: 'a',
    graph_id: 'desk',
    config: {},
    context: { desk: 'back', level: 1 },
    metadata: {},
  };
  const cron = {
    cron_id: 'c',
    assistant_id: 'a',
    thread_id: null,
    payload,
    metadata: {},
    marks: {},
    principal: 'workspace:w',
    user: null,
    on_run_completed: 'keep',
  } as unknown as Cron;
  const run = await cronRunOf(
    { db: {} as Database, assistants: { find: async () => assistant } },
    { cron, run_id: 'r' },
  );
  const both = { desk: 'left', level: 1 };
  expect(run.kwargs).toMatchObject({ context: both, config: { configurable: both } });
});
