import { expect, test } from 'vitest';
import { ByteGate } from './byte-gate.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function isWaiting(promise: Promise<void>): Promise<boolean> {
  let waits = true;
  void promise.then(() => (waits = false));
  await turn();
  return waits;
}

test('bodies get what fits, and the rest as soon as there is room', async () => {
  const gate = new ByteGate(100);
  const [first, second, third] = [gate.enter(), gate.enter(), gate.enter()];
  await first.hold(60);
  const large = second.hold(60);
  expect(await isWaiting(large)).toBe(true);
  expect(await isWaiting(third.hold(10))).toBe(false);
  await first.hold(20);
  await large;
});

test('who came first always gets what it needs, also more than there is', async () => {
  const gate = new ByteGate(100);
  const [first, second] = [gate.enter(), gate.enter()];
  await second.hold(90);
  await first.hold(1_000_000);
  const more = second.hold(91);
  expect(await isWaiting(more)).toBe(true);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  await more;
});

test('bodies that all need more get it one after the other', async () => {
  const gate = new ByteGate(100);
  const ends: number[] = [];
  const grow = async (name: number) => {
    using room = gate.enter();
    await room.hold(30);
    await room.hold(80);
    ends.push(name);
  };
  await Promise.all([1, 2, 3, 4].map(grow));
  expect(ends).toEqual([1, 2, 3, 4]);
});

test('a body that has not arrived yet does not delay others', async () => {
  const gate = new ByteGate(100);
  const slow = [gate.enter(), gate.enter()];
  await slow[0]?.hold(1);
  expect(await isWaiting(gate.enter().hold(90))).toBe(false);
});

test('beyond a thousand bodies clients are asked to come again', () => {
  const gate = new ByteGate(1);
  for (let at = 0; at < 1000; at += 1) gate.enter();
  expect(() => gate.enter()).toThrow(expect.objectContaining({ kind: 'unavailable', retry_after_s: 2 }));
});
