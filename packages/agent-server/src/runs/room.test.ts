import { Problem } from '@roadstead/kit';
import { expect, test } from 'vitest';
import { Room } from './room.ts';

test('a full room refuses with a time to try again, and what has left makes room', () => {
  const room = new Room({ limits: { messages: 2, bytes: 100 } });
  using _one = room.enter(10);
  const two = room.enter(10);
  expect(() => room.enter(10)).toThrow(
    expect.objectContaining({ kind: 'unavailable', retry_after_s: 5 }) as Problem,
  );
  two.dispose();
  expect(() => room.enter(91)).toThrow(Problem);
  using _three = room.enter(90);
});

test('a message above the limit is admitted alone; what was promised always is', () => {
  const room = new Room({ limits: { messages: 1, bytes: 100 } });
  using _heavy = room.enter(1000);
  using _promised = room.take(1000);
  expect(() => room.enter(1)).toThrow(Problem);
});
