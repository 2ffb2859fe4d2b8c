import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { runOf, startHost } from './host.ts';

/** What a host makes of frames that break the protocol, or belong to another version of it. */

const host = useFixture(() => startHost('graphs'));

const isWell = async () => (await host().run(runOf('echo'))).outcome.outcome === 'success';

test.each([
  ['run', { run_id: 'r' }],
  ['run', { ...runOf('echo'), run_id: 'r', attempt: 'first' }],
  ['cancel', { run_id: 'r', attempt: 1, reason: 'boredom' }],
  ['state.get', {}],
  ['state.update', { thread_id: 't', graph_id: 'echo', supersteps: 'none' }],
  ['state.history', { thread_id: 't', graph_id: 'echo', limit: 'all' }],
  ['schemas', null],
  ['describe', { protocol_versions: 'any' }],
])('when %s is asked with %j, then it is an error, and the host is well', async (method, params) => {
  await expect(host().peer.ask(method as never, params as never)).rejects.toThrow(/\S/);
  expect(await isWell()).toBe(true);
});

test('when an unknown method is asked, then it is an error that names it, and the host is well', async () => {
  await expect(host().peer.ask('dance' as never, {} as never)).rejects.toThrow('dance');
  expect(await isWell()).toBe(true);
});

test('when fields are sent that a host does not know, then it ignores them', async () => {
  const asked = host().peer.ask('ping', { mood: 'good' } as never);
  expect((await asked).result.runs).toBe(0);
});

test('when an unknown message is told, then the host ignores it', async () => {
  host().peer.tell('weather' as never, { fine: true } as never);
  expect(await isWell()).toBe(true);
});

test('when an answer of the engine is malformed, then a run fails, and the host is well', async () => {
  const ask = host().engine.ask.bind(host().engine);
  host().engine.ask = async (question, blobs) =>
    question.method === 'store.batch' ? { result: { results: 'none' } } : ask(question, blobs);
  const { outcome } = await host().run(runOf('notes'));
  host().engine.ask = ask;
  expect(outcome.outcome).toBe('error');
  expect(await isWell()).toBe(true);
});

test('when the engine refuses a question, then the run ends in its error, and the host is well', async () => {
  const ask = host().engine.ask.bind(host().engine);
  host().engine.ask = async (question, blobs) => {
    if (question.method === 'store.batch') throw new RangeError('The store is closed.');
    return ask(question, blobs);
  };
  const { outcome } = await host().run(runOf('notes'));
  host().engine.ask = ask;
  expect(outcome).toMatchObject({ outcome: 'error', error: { message: 'The store is closed.' } });
  expect(await isWell()).toBe(true);
});

test.each([
  ['a length beyond all limits', Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 2, 0x7b, 0x7d])],
  ['a head that is no JSON', Buffer.from([0, 0, 0, 6, 0, 0, 0, 2, 0x7b, 0x7b])],
  ['a head longer than its frame', Buffer.from([0, 0, 0, 6, 0, 0, 0, 9, 0x7b, 0x7d])],
])('when bytes come with %s, then the host ends and says so', async (_what, bytes) => {
  await using other = startHost('graphs');
  await other.peer.ask('ping', {});
  other.channel.write(bytes);
  expect(await other.exited).not.toBe(0);
});

test('when a frame comes in many pieces, then it is read as one', async () => {
  const { channel } = host();
  const head = Buffer.from('{"method":"weather","params":{}}');
  const frame = Buffer.alloc(8 + head.length);
  frame.writeUInt32BE(4 + head.length, 0);
  frame.writeUInt32BE(head.length, 4);
  head.copy(frame, 8);
  for (const byte of frame) {
    channel.write(Buffer.from([byte]));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await isWell()).toBe(true);
});

const TOO_LONG = 'A frame with a key of more than 1048576 bytes is above the limit';

test('when a state holds more than a frame may, then its run and its reading fail alone', async () => {
  const at = { thread_id: crypto.randomUUID(), graph_id: 'keeper' };
  const { outcome } = await host().run({ ...at, input: { kept_length: 1_048_576 }, values: true });
  expect(outcome).toMatchObject({ outcome: 'error', error: { message: TOO_LONG } });
  await expect(host().peer.ask('state.get', at)).rejects.toThrow(TOO_LONG);
  expect(await isWell()).toBe(true);
});

test('when an event holds more than a frame may, then its run fails, and the host is well', async () => {
  const stream = { modes: ['custom'], subgraphs: false } as const;
  const { outcome } = await host().run(runOf('keeper', { input: { streamed_length: 1_048_576 }, stream }));
  expect(outcome).toMatchObject({ outcome: 'error', error: { message: TOO_LONG } });
  expect(await isWell()).toBe(true);
});
