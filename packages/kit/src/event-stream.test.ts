import { expect, test } from 'vitest';
import { type EventFrame, eventFrame, eventStream, takesEvents } from './event-stream.ts';

test('nothing is produced before the reader has room for it', async () => {
  let produced = 0;
  async function* frames(): AsyncGenerator<EventFrame> {
    while (true) yield eventFrame('x', (produced += 1));
  }
  const reader = eventStream(frames(), { heartbeat_ms: 1000, onCancel: () => undefined }).body?.getReader();
  expect(produced).toBe(0);
  await reader?.read();
  await reader?.read();
  expect(produced).toBe(2);
  await reader?.cancel();
});

test('a reader that goes away frees what the frames hold', async () => {
  const told: string[] = [];
  async function* frames(): AsyncGenerator<EventFrame> {
    try {
      yield eventFrame('x');
      yield eventFrame('y');
    } finally {
      told.push('freed');
    }
  }
  const reader = eventStream(frames(), {
    heartbeat_ms: 1000,
    onCancel: () => told.push('gone'),
  }).body?.getReader();
  await reader?.read();
  await reader?.cancel();
  expect(told).toEqual(['gone', 'freed']);
});

test.for<[string | null, boolean]>([
  [null, true],
  ['', true],
  ['text/event-stream', true],
  ['application/json, Text/Event-Stream; q=0.1', true],
  ['*/*', true],
  ['text/*', true],
  ['application/json', false],
  ['text/html, application/*', false],
])('Accept %j takes events: %s', ([accept, takes]) => {
  expect(takesEvents(accept)).toBe(takes);
});
