import { expect, test } from 'vitest';
import {
  encodeFrame as framePieces,
  FrameDecoder,
  MAX_FRAME_BYTES,
  parseHead,
  unpackFrame,
} from './frames.ts';
import { JsonBytes, Peer, RemoteError } from './peer.ts';

const encodeFrame: (...frame: Parameters<typeof framePieces>) => Uint8Array = (...frame) =>
  Uint8Array.from(Buffer.concat(framePieces(...frame)));
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (blob: Uint8Array | undefined) => new TextDecoder().decode(blob);

interface Calls {
  add: { params: readonly number[]; result: number };
  fail: { params: null; result: null };
}
interface Tells {
  note: string;
}

/** Two peers, joined by pipes that cut what passes into pieces of `cut` bytes. */
function pair(cut: number) {
  const notes: string[] = [];
  const deliver = (to: () => Peer<Calls, Tells>) => ({
    write(frame: Uint8Array) {
      for (let at = 0; at < frame.length; at += cut) void to().receive(frame.subarray(at, at + cut));
    },
  });
  const left: Peer<Calls, Tells> = new Peer(
    deliver(() => right),
    { ask: () => Promise.reject(new Error('asked')), tell: () => undefined },
  );
  const right: Peer<Calls, Tells> = new Peer(
    deliver(() => left),
    {
      async ask(method, params, blobs) {
        if (method === 'fail') throw new TypeError('No good\nat all');
        return { result: (params as number[]).reduce((sum, n) => sum + n, 0), blobs: [...blobs].reverse() };
      },
      tell: (method, params, blobs) => notes.push(`${method} ${String(params)} ${blobs.map(text).join()}`),
    },
  );
  return { left, right, notes };
}

test.each([1, 3, 7, 1000])(
  'when frames come in pieces of %i bytes, then asks, tells and blobs survive',
  async (cut) => {
    const { left, notes } = pair(cut);
    left.tell('note', 'ä', [bytes('one'), bytes(''), bytes('three')]);
    const reply = await left.ask('add', [1, 2, 3], [bytes('a'), bytes('b')]);
    expect(reply.result).toBe(6);
    expect(reply.blobs.map(text)).toEqual(['b', 'a']);
    await expect(left.ask('fail', null)).rejects.toThrow(
      new RemoteError({ name: 'TypeError', message: 'No good' }),
    );
    left.tell('note', 'last');
    expect(notes).toEqual(['note ä one,,three', 'note last ']);
  },
);

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
  const answer = new JsonBytes([bytes('{"a":'), bytes('[1]}')]);
  const asked: Peer<{ any: { params: null; result: unknown } }> = new Peer(
    { write: (frame) => void other.receive(frame) },
    { ask: () => Promise.reject(new Error('asked')), tell: () => undefined },
  );
  const other: Peer<object> = new Peer(
    { write: (frame) => void asked.receive(frame) },
    { ask: async () => ({ result: answer, blobs: [bytes('x')] }), tell: () => undefined },
  );
  const { result, blobs } = await asked.ask('any', null);
  expect([result, blobs.map(text)]).toEqual([{ a: [1] }, ['x']]);
});

test('when a peer is closed, then what is open and what comes later are rejected', async () => {
  const silent = new Peer<Calls, Tells>(
    { write: () => undefined },
    { ask: () => Promise.reject(new Error('asked')), tell: () => undefined },
  );
  const open = silent.ask('add', [1]);
  silent.close(new Error('gone'));
  silent.close(new Error('again'));
  silent.tell('note', 'dropped');
  await expect(open).rejects.toThrow('gone');
  await expect(silent.ask('add', [1])).rejects.toThrow('gone');
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
  const peer = new Peer<Calls, Tells>(
    { write: () => undefined },
    {
      ask: () => Promise.reject(new Error('asked')),
      tell: (_method, params) => told.push(String(params).length),
      parseLarge: async (json) => {
        parsed.push(json.length);
        return parseHead(json);
      },
    },
  );
  const frames = [1, 300_000, 2].map((length) =>
    encodeFrame({
      method: 'note',
      params: new JsonBytes([bytes(JSON.stringify('x'.repeat(length)))]),
    }),
  );
  await peer.receive(Buffer.concat(frames));
  expect(told).toEqual([1, 300_000, 2]);
  expect(parsed).toHaveLength(1);
});
