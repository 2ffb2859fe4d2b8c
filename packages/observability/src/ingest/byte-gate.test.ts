import { expect, test } from 'vitest';
import { ByteGate } from './byte-gate.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('lets in what fits, in order, and the next as soon as there is room', async () => {
  const gate = new ByteGate(100);
  const entered: string[] = [];
  const enter = async (name: string, bytes: number) => {
    const reservation = await gate.enter(bytes);
    entered.push(name);
    return reservation;
  };
  const first = await enter('first', 60);
  const second = enter('second', 60);
  // Smaller, but behind: it must not starve the one before it.
  const third = enter('third', 10);
  await turn();
  expect(entered).toEqual(['first']);
  await first.resize(40);
  (await second)[Symbol.dispose]();
  await third;
  expect(entered).toEqual(['first', 'second', 'third']);
});

test('one that is larger than everything goes alone', async () => {
  const gate = new ByteGate(100);
  const small = await gate.enter(1);
  let isIn = false;
  const large = gate.enter(1_000_000).then((reservation) => {
    isIn = true;
    return reservation;
  });
  await turn();
  expect(isIn).toBe(false);
  small[Symbol.dispose]();
  small[Symbol.dispose]();
  await large;
});

test('too many that wait are told to come again', async () => {
  const gate = new ByteGate(1);
  await gate.enter(1);
  for (let at = 0; at < 1000; at += 1) void gate.enter(1);
  await expect(gate.enter(1)).rejects.toMatchObject({ kind: 'unavailable', retry_after_s: 2 });
});

test('two that both need more get it one after the other', async () => {
  const gate = new ByteGate(100);
  const ends: string[] = [];
  const grow = async (name: string) => {
    using held = await gate.enter(50);
    await held.resize(80);
    ends.push(name);
  };
  await Promise.all([grow('first'), grow('second')]);
  expect(ends).toEqual(['first', 'second']);
});
