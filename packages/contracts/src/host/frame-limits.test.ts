import { expect, test } from 'vitest';
import { encodeFrame } from './frames.ts';
import { FRAME_LIMITS, type FrameLimits } from './frame-limits.ts';
import { hostPeer } from './testing/peers.ts';

/** Frames that a host may not send, since the engine would not read them. */

const few: FrameLimits = { max_values: 20, max_keys: 10, max_depth: 6, max_key_bytes: 8, max_blobs: 2 };
/** Makes a head a large one. */
const pad = 'x"\\,:[{'.repeat(50_000);
/** A head that holds so much beside. */
const headOf = (params: object) => ({ method: 'log', params: { pad, ...params } });

function deep(levels: number): unknown {
  return levels === 0 ? 1 : [deep(levels - 1)];
}
const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]));

/** The message of what is thrown, if anything is. */
function faultOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as RangeError).message;
  }
}

test.each([
  ['as many keys as it may', { one: keys(6) }, undefined],
  ['a key more', { one: keys(7) }, 'more than 10 keys'],
  ['as many values as it may', { list: Array.from({ length: 15 }, () => []) }, undefined],
  ['a value more', { list: Array.from({ length: 16 }, () => []) }, 'more than 20 values'],
  ['as many levels as it may', { list: deep(4) }, undefined],
  ['a level more', { list: deep(5) }, 'more than 6 levels'],
  ['a key as long as it may be', { '1234567': 1 }, undefined],
  ['a longer key', { '12345678': 1 }, 'a key of more than 8 bytes'],
])('when a large frame has %s, then the fault is %s', (_what, params, fault) => {
  const sentence = fault && `A frame with ${fault} is above the limit`;
  expect(faultOf(() => encodeFrame(headOf(params), [], few))).toBe(sentence);
});

test('when a small frame holds as much, then it is sent, since it is read at once', () => {
  expect(() => encodeFrame({ method: 'log', params: keys(100) }, [], few)).not.toThrow();
});

test('when a frame has more blobs than it may, then it is not sent', () => {
  const blob = new Uint8Array();
  expect(() => encodeFrame({ method: 'log' }, [blob, blob], few)).not.toThrow();
  expect(() => encodeFrame({ method: 'log' }, [blob, blob, blob], few)).toThrow('more than 2 blobs');
});

test('when a host would send too much, then who asked for it hears why, and nothing goes out', async () => {
  const written: Uint8Array[] = [];
  const filter = keys(FRAME_LIMITS.max_keys);
  const host = hostPeer({ write: (bytes) => void written.push(bytes) }, { limits: FRAME_LIMITS });
  const sentence = 'A frame with more than 1000000 keys is above the limit';
  await expect(host.ask('checkpoint.list', { filter })).rejects.toThrow(sentence);
  const params = { run_id: 'r', attempt: 1, outcome: 'success', interrupts: [], output: filter } as const;
  expect(() => host.tell('done', params)).toThrow(sentence);
  expect(written).toEqual([]);
});
