import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { jsonText } from '@roadstead/contracts/host-peer';
import { HostUnderTest } from './testing/host-process.ts';

/** Values that JSON has no place for, wherever those of a graph are written: a BigInt is its digits, others as LangGraph has them. */

const agents = fileURLToPath(new URL('../fixtures/agents', import.meta.url));
const digits = String(2n ** 70n);

const host = useFixture(() => new HostUnderTest(agents));

test('when a value is a BigInt, then it is kept and told as its digits', async () => {
  const at = { thread_id: randomUUID(), graph_id: 'kinds' };
  const stream = { modes: ['values', 'updates', 'custom', 'tasks'] as const, subgraphs: false };
  const { outcome, events } = await host().run({ ...at, input: { big: '1' }, values: true, stream });
  expect(outcome).toMatchObject({ values: { big: digits } });
  const told = JSON.stringify(events);
  expect(told).not.toContain('unable to serialize');
  const data = events.flatMap((event) =>
    event.kind === 'stream' ? [[event.event, event.data] as const] : [],
  );
  expect(data).toContainEqual(['custom', { big: digits }]);
  expect(data).toContainEqual(['values', expect.objectContaining({ big: digits })]);
  const message = events.find((event) => event.kind === 'message');
  expect(message).toMatchObject({ message: { tool_calls: [{ args: { big: digits } }] } });

  const state = (await host().peer.ask('state.get', at)).result;
  const kept = { big: digits, list: [digits] };
  expect(state.values).toMatchObject({ big: digits, nested: { list: [{ big: digits }] }, stored: kept });
  expect(state.values).toMatchObject({ messages: [{ additional_kwargs: { big: digits } }] });
  const { states } = (await host().peer.ask('state.history', { ...at, limit: 1 })).result;
  expect(states[0]?.values).toEqual(state.values);
});

test('when a state holds maps, sets or bytes, then they come back as what they were', async () => {
  const at = { thread_id: randomUUID(), graph_id: 'kinds' };
  await host().run({ ...at, input: { big: '1' } });
  const { values } = (await host().peer.ask('state.get', at)).result;
  expect((values as { kinds: unknown }).kinds).toEqual({
    map: {},
    set: {},
    date: '1970-01-01T00:00:00.000Z',
    bytes: { 0: 1, 1: 2 },
    nan: null,
    infinity: null,
  });
  await host().run({ ...at, command: { resume: 'yes' } });
  const after = (await host().peer.ask('state.get', at)).result.values as { stored: { seen: unknown[] } };
  expect(after.stored.seen).toEqual(['string', digits, [digits], digits, 1, [1, 2]]);
});

test('when a user or an answer holds a BigInt, then it is written as digits', () => {
  expect(jsonText({ identity: 'ada', level: 3n, list: [1n, { deep: 2n }] })).toBe(
    '{"identity":"ada","level":"3","list":["1",{"deep":"2"}]}',
  );
  const circle: { self?: unknown } = {};
  circle.self = circle;
  expect(() => jsonText(circle)).toThrow('circular');
});
