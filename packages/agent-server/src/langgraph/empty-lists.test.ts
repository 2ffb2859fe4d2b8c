import { useFixture } from '@roadstead/testing';
import { beforeAll, expect, test } from 'vitest';
import { listeningAgent } from '../testing/listening-agent.ts';

/** Empty lists in what clients look for, over a real agent server. */

const listening = useFixture(listeningAgent);
const client = useFixture(() => listening().client());
const thread_id = useFixture(
  async () => (await client().threads.create({ metadata: { kind: 'chat' } })).thread_id,
);
beforeAll(() => client().threads.create({ metadata: { kind: 'other' } }));
const input = { messages: [{ role: 'user', content: 'hi' }] };
const run_id = useFixture(
  async () => (await client().runs.create(thread_id(), 'agent', { input, streamResumable: true })).run_id,
);
beforeAll(async () => {
  await client().runs.join(thread_id(), run_id());
  await client().crons.create('agent', { schedule: '0 0 1 1 *', input });
});

async function ask(method: string, path: string, body?: object): Promise<unknown> {
  const answer = await fetch(listening().url + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.status).toBe(200);
  return answer.json();
}

test.each([
  ['threads', '/threads/search', { metadata: { kind: 'chat' } }, { ids: [] }],
  ['all threads', '/threads/search', {}, { ids: [], select: [] }],
  ['fields of threads', '/threads/search', { metadata: { kind: 'chat' } }, { select: [] }],
  ['fields of assistants', '/assistants/search', { limit: 3 }, { select: [] }],
  ['fields of crons', '/runs/crons/search', {}, { select: [] }],
  ['items', '/store/items/search', {}, { namespace_prefix: [], filter: {} }],
  ['namespaces', '/store/namespaces', {}, { prefix: [], suffix: [] }],
])('when %s are asked for with an empty list, then it filters nothing', async (_, path, asked, empty) => {
  const found = await ask('POST', path, asked);
  expect(await ask('POST', path, { ...asked, ...empty })).toEqual(found);
});

test('when threads are asked for with no ids, then as many are found as are counted', async () => {
  const metadata = { kind: 'chat' };
  expect(await ask('POST', '/threads/search', { ids: [], metadata })).toMatchObject([
    { thread_id: thread_id() },
  ]);
  expect(await ask('POST', '/threads/count', { metadata })).toBe(1);
});

test('when the runs of a thread are asked for with no fields, then all are told', async () => {
  const runs = await ask('GET', `/threads/${thread_id()}/runs`);
  for (const empty of ['', encodeURIComponent('[]')])
    expect(await ask('GET', `/threads/${thread_id()}/runs?select=${empty}`)).toEqual(runs);
});

test('when a run is joined with no modes, then all that it streamed is told', async () => {
  const heard = async (more: object) => {
    const parts: unknown[] = [];
    for await (const part of client().runs.joinStream(thread_id(), run_id(), { lastEventId: '0', ...more }))
      parts.push(part);
    return parts;
  };
  const all = await heard({});
  expect(JSON.stringify(all)).toContain('1: hi');
  expect(await heard({ streamMode: [] })).toEqual(all);
});
