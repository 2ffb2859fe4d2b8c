import { expect, test } from 'vitest';
import {
  encodeFrame as framePieces,
  FrameDecoder,
  MAX_FRAME_BYTES,
  parseHead,
  unpackFrame,
} from './frames.ts';
import { JsonBytes, RemoteError, toHostError } from './peer.ts';
import { enginePeer, type EnginePeer, hostPeer, type HostPeer } from './testing/peers.ts';

const encodeFrame: (...frame: Parameters<typeof framePieces>) => Uint8Array = (...frame) =>
  Uint8Array.from(Buffer.concat(framePieces(...frame)));
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (blob: Uint8Array | undefined) => new TextDecoder().decode(blob);

/** A host and an engine, joined by pipes that cut what passes into pieces of `cut` bytes. */
function pair(cut: number) {
  const lines: string[] = [];
  const deliver = (to: () => HostPeer | EnginePeer) => ({
    write(frame: Uint8Array) {
      for (let at = 0; at < frame.length; at += cut) void to().receive(frame.subarray(at, at + cut));
    },
  });
  const host: HostPeer = hostPeer(deliver(() => engine));
  const engine: EnginePeer = enginePeer(
    deliver(() => host),
    {
      async ask({ method }, blobs) {
        if (method !== 'store.batch') throw new TypeError('No good\nat all');
        return { result: { results: [6] }, blobs: [...blobs].reverse() };
      },
      tell: ({ params }, blobs) =>
        void lines.push(`${'message' in params ? params.message : ''} ${blobs.map(text).join()}`),
    },
  );
  return { host, lines };
}

const line = (message: string) => ({ level: 'INFO', message }) as const;

test.each([1, 3, 7, 1000])(
  'when frames come in pieces of %i bytes, then asks, tells and blobs survive',
  async (cut) => {
    const { host, lines } = pair(cut);
    host.tell('log', line('ä'), [bytes('one'), bytes(''), bytes('three')]);
    const reply = await host.ask('store.batch', { operations: [] }, [bytes('a'), bytes('b')]);
    expect(reply.result).toEqual({ results: [6] });
    expect(reply.blobs.map(text)).toEqual(['b', 'a']);
    await expect(host.ask('checkpoint.list', {})).rejects.toThrow(
      new RemoteError({ name: 'TypeError', message: 'No good | at all' }),
    );
    host.tell('log', line('last'));
    expect(lines).toEqual(['ä one,,three', 'last ']);
  },
);

// The same in Python: packages/graph-host-python/tests/channel/test_errors.py.
test.each([
  ['plain', 'plain'],
  ['  1 error for State\nfield\r\n  must be a number\n\n', '1 error for State | field | must be a number'],
  ['one\u2028two\u0085three\vfour', 'one | two | three | four'],
  ['x\n'.repeat(5000), 'x | '.repeat(500)],
])('when an error has the message %j, then it travels as one line', (message, expected) => {
  expect(toHostError(new Error(message)).message).toBe(expected);
});

test('when several frames come in one piece, then they come out in order', () => {
  const frames = [1, 2, 3].map((n) => encodeFrame({ method: 'note', params: n }));
  const decoded = new FrameDecoder().push(Buffer.concat(frames));
  expect(decoded.map(({ json }) => parseHead(json))).toEqual(
    [1, 2, 3].map((n) => ({ method: 'note', params: n })),
  );
});

test('when garbage comes, then it is refused', () => {
  expect(() => new FrameDecoder().push(bytes('HTTP/1.1 200 OK'))).toThrow('claims');
  expect(() => new FrameDecoder().push(new Uint8Array([0, 0, 0, 1]))).toThrow('claims');
  const lying = encodeFrame({ method: 'note', params: 1 }, [bytes('abc')]).slice(0, -1);
  new DataView(lying.buffer).setUint32(0, lying.length - 4);
  const [lied] = new FrameDecoder().push(lying);
  expect(() => lied && unpackFrame(lied, parseHead(lied.json))).toThrow('fill');
});

test('when an answer is given as JSON bytes, then it arrives as their value', async () => {
  const answer = new JsonBytes([bytes('{"results":'), bytes('[[1]]}')]);
  const host: HostPeer = hostPeer({ write: (frame) => void engine.receive(frame) });
  const engine: EnginePeer = enginePeer(
    { write: (frame) => void host.receive(frame) },
    { ask: async () => ({ result: answer, blobs: [bytes('x')] }) },
  );
  const { result, blobs } = await host.ask('store.batch', { operations: [] });
  expect([result, blobs.map(text)]).toEqual([{ results: [[1]] }, ['x']]);
});

test('when a peer is closed, then what is open and what comes later are rejected', async () => {
  const silent = hostPeer({ write: () => undefined });
  const open = silent.ask('checkpoint.list', {});
  silent.close(new Error('gone'));
  silent.close(new Error('again'));
  silent.tell('log', line('dropped'));
  await expect(open).rejects.toThrow('gone');
  await expect(silent.ask('checkpoint.list', {})).rejects.toThrow('gone');
});

test('when a large frame comes in many pieces, then decoding it takes linear time', () => {
  const decoder = new FrameDecoder();
  const frame = encodeFrame({ method: 'note', params: 1 }, [new Uint8Array(8_000_000).fill(7)]);
  const frames = [];
  for (let at = 0; at < frame.length; at += 1000) {
    expect(decoder.held).toBe(at);
    frames.push(...decoder.push(frame.subarray(at, at + 1000)));
  }
  expect([frames.length, decoder.held]).toEqual([1, 0]);
  expect(frames[0]?.rest.length).toBe(8_000_000);
});

test('when a frame is larger than 64 MB, then either side refuses it', () => {
  expect(MAX_FRAME_BYTES).toBe(67_108_864);
  expect(() => encodeFrame({ method: 'note' }, [new Uint8Array(MAX_FRAME_BYTES)])).toThrow('above the limit');
  const claim = new Uint8Array(8);
  new DataView(claim.buffer).setUint32(0, MAX_FRAME_BYTES + 1);
  expect(() => new FrameDecoder().push(claim)).toThrow('claims');
});

test('when a head is large, then it is parsed elsewhere meanwhile, and frames stay in order', async () => {
  const told: unknown[] = [];
  const parsed: number[] = [];
  const peer = enginePeer(
    { write: () => undefined },
    {
      tell: ({ params }) => void told.push('message' in params && params.message.length),
      parseLarge: async (json) => {
        parsed.push(json.length);
        return parseHead(json);
      },
    },
  );
  const frames = [1, 300_000, 2].map((length) =>
    encodeFrame({
      method: 'log',
      params: new JsonBytes([bytes(JSON.stringify(line('x'.repeat(length))))]),
    }),
  );
  await peer.receive(Buffer.concat(frames));
  expect(told).toEqual([1, 300_000, 2]);
  expect(parsed).toHaveLength(1);
});
