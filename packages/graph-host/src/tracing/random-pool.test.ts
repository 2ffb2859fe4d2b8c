import { expect, it } from 'vitest';
import { pooled } from './random-pool.ts';

const counted = () => {
  let calls = 0;
  const draw = pooled((into) => {
    calls += 1;
    return crypto.getRandomValues(into);
  });
  return { draw, calls: () => calls };
};

it('when bytes are drawn, then each is given once, in pieces of any size', () => {
  const source = Uint8Array.from({ length: 8192 }, (_, at) => at % 251);
  const draw = pooled((into) => {
    (into as Uint8Array).set(source.subarray(0, into.byteLength));
    return into;
  });
  const given: number[] = [];
  const sizes = [16, 1, 0, 64, 31];
  for (let at = 0; given.length + 64 <= 8192; at += 1) {
    const into = new Uint8Array(sizes[at % sizes.length] ?? 0);
    expect(draw(into)).toBe(into);
    given.unshift(...into);
  }
  expect(given).toEqual([...source.subarray(8192 - given.length)]);
});

it('when little is drawn, then it comes from a pool; what is large comes as asked for', () => {
  const { draw, calls } = counted();
  for (let at = 0; at < 512; at += 1) draw(new Uint8Array(16));
  expect(calls()).toBe(1);
  const all = Array.from({ length: 100 }, () => draw(new Uint8Array(16)).toString());
  expect(new Set(all).size).toBe(100);
  expect(calls()).toBe(2);
  expect(draw(new Uint8Array(100)).some((byte) => byte > 0)).toBe(true);
  expect(draw(new Uint32Array(4))).toHaveLength(4);
  expect(calls()).toBe(4);
  expect(() => draw(new Float32Array(1) as never)).toThrow('integer');
});
