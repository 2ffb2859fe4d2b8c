import { Client } from '@langchain/langgraph-sdk';
import { eventStream, type EventFrame } from '@roadstead/http';
import fc from 'fast-check';
import { Client as FormerClient } from 'langgraph-sdk-v2';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../runs/run.ts';
import { frameOf, type NamedEvent, showEvent } from './run-frames.ts';
import { QUIET, seqOf } from './run-stream.ts';

const at = '2026-01-01T00:00:00.000Z';
const stream = (event: string, ns: string[] = []): RunEvent => ({
  seq: 2,
  at,
  kind: 'stream',
  event,
  ns,
  data: { a: 1 },
});
const interrupts: never[] = [];

describe('what a client hears of a run', () => {
  test.each<[string, RunEvent, unknown]>([
    ['the attempt', { seq: 1, at, kind: 'started', attempt: 2 }, ['metadata', { run_id: 'r', attempt: 2 }]],
    ['a part', stream('values'), ['values', { a: 1 }]],
    ['a part of a subgraph', stream('updates', ['a:1', 'b:2']), ['updates|a:1|b:2', { a: 1 }]],
    [
      'a failure',
      { seq: 3, at, kind: 'end', status: 'error', error: { name: 'E', message: 'm' }, interrupts },
      ['error', { error: 'E', message: 'm' }],
    ],
    ['no word of success', { seq: 3, at, kind: 'end', status: 'success', interrupts }, undefined],
    ['no word of a cancellation', { seq: 3, at, kind: 'end', status: 'interrupted', interrupts }, undefined],
    ['nothing meant for other faces', { seq: 3, at, kind: 'chunk', message_id: 'm', text: 't' }, undefined],
  ])('when a client hears of a run, then it hears %s', (_, event, heard) => {
    const shown = showEvent(event, { run_id: 'r' });
    expect(shown && [shown.event, shown.data]).toEqual(heard);
  });

  test.each([
    ['messages', 'messages-tuple', true],
    ['messages', 'messages', false],
    ['messages/partial', 'messages', true],
    ['messages/partial', 'messages-tuple', false],
    ['values', 'values', true],
    ['values', 'updates', false],
  ] as const)('when the event is %s and the reader of %s, then it is heard: %j', (event, mode, heard) => {
    expect(showEvent(stream(event), { run_id: 'r', modes: [mode] }) !== undefined).toBe(heard);
  });
});

test.each([
  ['1.12', Client],
  ['2.0', FormerClient as unknown as typeof Client],
])('when SDK %s reads events, then it gets each as it was told, between comments', async (_, Sdk) => {
  const name = fc.stringMatching(/^[a-z]{1,8}([|/][\w:-]{1,8}){0,2}$/);
  const events = fc.array(fc.record({ event: name, data: fc.jsonValue() }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(events, async (told) => {
      const named = told.map((event, seq): NamedEvent => ({ id: String(seq + 1), ...event }));
      const read = await readBySdk(Sdk, named);
      const plain = JSON.parse(JSON.stringify(named)) as unknown;
      expect(read).toEqual(plain);
    }),
    { numRuns: 50 },
  );
});

async function readBySdk(Sdk: typeof Client, events: readonly NamedEvent[]): Promise<unknown[]> {
  async function* frames(): AsyncGenerator<EventFrame> {
    for (const event of events) {
      yield await frameOf(event);
      yield QUIET;
    }
  }
  const response = eventStream(frames(), { heartbeat_ms: 1000, onCancel: () => undefined });
  const client = new Sdk({ apiUrl: 'http://agent.test', callerOptions: { fetch: async () => response } });
  const read: unknown[] = [];
  for await (const part of client.runs.joinStream('t', 'r')) read.push(part);
  return read;
}

test('when an event is large, then it goes out in pieces, and no name breaks a line', async () => {
  const large = await frameOf({ id: '1', event: 'values', data: { text: 'a'.repeat(1_000_000) } });
  expect(Array.isArray(large)).toBe(true);
  expect(await frameOf({ id: '1', event: 'values|a\nb', data: 1 })).toBe(
    'id: 1\nevent: values|a b\ndata: 1\n\n',
  );
});

test.each([
  [null, 0],
  ['-1', 0],
  ['-', 0],
  ['7', 7],
  ['x', 0],
  ['1e400', 0],
])('when Last-Event-ID is %j, then what is after %j comes', (id, seq) => {
  expect(seqOf(id)).toBe(seq);
});
