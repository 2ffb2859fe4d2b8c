import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import type { RunParams } from '@roadstead/contracts/host';
import { errorOf, HostUnderTest } from './testing/host-process.ts';

/** No matter what user code does, the host lives: at most its own run or its own call fails. */

const folder = fileURLToPath(new URL('../fixtures/odd', import.meta.url));
const host = useFixture(() => new HostUnderTest(folder));

const act = (deed: string, params: Partial<RunParams> = {}) =>
  host().run({ thread_id: randomUUID(), graph_id: 'odd', input: { deed }, values: true, ...params });

async function said(deed: string, params: Partial<RunParams> = {}): Promise<unknown> {
  const { outcome } = await act(deed, params);
  expect(outcome).toMatchObject({ outcome: 'success' });
  return (outcome as { values: { text: unknown } }).values.text;
}

test.each([
  ['search without a number', 'limit must be a number'],
  ['search with an infinite limit', 'limit must be a number'],
  ['search from nowhere', 'offset must be a number'],
  ['search by a date', 'filter must be an object'],
  ['store what is undefined', 'value is missing'],
  ['store a text', 'value must be an object'],
  ['delete no thread', 'thread_id is missing'],
  ['list by a date', 'filter must be an object'],
  ['put without an id', 'checkpoint_id must be a text'],
])('when a graph asks to %s, then it hears that %s', async (deed, why) => {
  expect(await said(deed)).toContain(why);
});

test.each(['list without a filter', 'list one and a half'])(
  'when a graph asks to %s, then it gets checkpoints',
  async (deed) => {
    expect(Number(await said(deed))).toBeGreaterThan(0);
  },
);

test('when a channel has the name of a property, then its writes are counted', async () => {
  expect(await said('write to a channel named constructor')).toBe('null');
});

test('when a model speaks tokens that are no text, then those with a value are told', async () => {
  const { outcome, events } = await act('speak odd tokens', { chunks: true });
  expect(outcome).toMatchObject({ outcome: 'success', values: { text: '"said"' } });
  expect(events.map((event) => event.kind === 'chunk' && event.text)).toEqual(['5']);
});

test('when plain messages hold odd words, then they are told as far as they go', async () => {
  const { outcome, events } = await host().run({
    thread_id: randomUUID(),
    graph_id: 'plain',
    input: { messages: [] },
    chunks: true,
  });
  expect(outcome).toMatchObject({ outcome: 'success' });
  const messages = events.flatMap((event) => (event.kind === 'message' ? [event.message] : []));
  expect(messages).toMatchObject([
    { role: 'assistant', tool_calls: [{ id: 'a', name: '5' }] },
    { role: 'tool', name: '5', text: 'found' },
    { role: 'assistant', text: 'done' },
  ]);
});

test('when a question has a number for an id, then it travels as text', async () => {
  const { outcome } = await act('ask by a number');
  expect(outcome).toMatchObject({ outcome: 'success', interrupts: [{ id: '5', value: 'Which?' }] });
});

test.each(['stream a broken field', 'stream what is revoked', 'stream a deep value'])(
  'when a graph is to %s, then the event says null',
  async (deed) => {
    const { outcome, events } = await act(deed, { stream: { modes: ['custom'], subgraphs: false } });
    expect(outcome).toMatchObject({ outcome: 'success' });
    expect(events.filter(({ kind }) => kind === 'stream')).toEqual([
      { kind: 'stream', event: 'custom', ns: [], data: null },
    ]);
  },
);

test('when nobody waits for what a graph rejects, then the host goes on', async () => {
  expect(await said('reject what has no text')).toBe('null');
});

test('when a graph throws what cannot be read, then its run fails', async () => {
  const { outcome } = await act('throw what cannot be read');
  expect(errorOf(outcome).message).not.toBe('');
});
