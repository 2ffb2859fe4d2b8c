import { expect, test } from 'vitest';
import { type EventFrame, eventFrame, eventStream, prefersEvents } from './event-stream.ts';

test('when the reader has no room yet, then nothing is produced', async () => {
  let produced = 0;
  async function* frames(): AsyncGenerator<EventFrame> {
    for (;;) {
      yield eventFrame('x', (produced += 1));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  const reader = eventStream(frames(), { heartbeat_ms: 1000, onCancel: () => undefined }).body?.getReader();
  expect(produced).toBe(0);
  await reader?.read();
  await reader?.read();
  expect(produced).toBe(2);
  await reader?.cancel();
});

test('when frames are there already, then they come in pieces of a bounded size', async () => {
  const data = 'x'.repeat(9_990);
  let produced = 0;
  async function* frames(): AsyncGenerator<EventFrame> {
    for (; produced < 20; produced += 1) yield eventFrame(data);
  }
  const { body } = eventStream(frames(), { heartbeat_ms: 1000, onCancel: () => undefined });
  const reader = body?.getReader();
  const first = await reader?.read();
  expect(produced).toBe(6);
  const sizes = [first?.value?.length];
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
    sizes.push(next.value.length);
  expect(sizes).toEqual([69_986, 69_986, 59_988]);
});

test('when frames fail after one that is there, then that one still comes', async () => {
  async function* frames(): AsyncGenerator<EventFrame> {
    yield eventFrame('x');
    throw new Error('broken');
  }
  const { body } = eventStream(frames(), { heartbeat_ms: 1000, onCancel: () => undefined });
  const reader = body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: x\n\n');
  await expect(reader?.read()).rejects.toThrow('broken');
});

test('when a reader goes away, then what the frames hold is freed', async () => {
  const told: string[] = [];
  async function* frames(): AsyncGenerator<EventFrame> {
    try {
      yield eventFrame('x');
      await new Promise((resolve) => setImmediate(resolve));
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
  [null, false],
  ['', false],
  ['*/*', false],
  ['application/json', false],
  ['text/html, application/*', false],
  ['application/json, Text/Event-Stream; q=0.1', false],
  ['text/event-stream;q=0', false],
  ['text/event-stream;q=0, */*', false],
  ['application/json, text/event-stream', false],
  ['text/event-stream;q=oops, application/json', false],
  ['text/event-stream', true],
  ['TEXT/EVENT-STREAM ; charset=utf-8 ; Q=0.5', true],
  ['text/*', true],
  ['text/event-stream, application/json', true],
  ['text/event-stream, */*;q=0.1', true],
  ['application/json;q=0.5, text/event-stream', true],
  ['*/*;q=0.1, text/event-stream;q=0.2', true],
])('when Accept is %j, then events are preferred to JSON: %s', ([accept, prefers]) => {
  expect(prefersEvents(accept)).toBe(prefers);
});
