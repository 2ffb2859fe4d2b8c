import { Problem } from '@roadstead/kit';
import { expect, test } from 'vitest';
import { Room } from './room.ts';

test('when a room is full, then it refuses with a time to try again, until something leaves', () => {
  const room = new Room({ limits: { messages: 2, bytes: 100 } });
  using _one = room.enter(10, 'a');
  const two = room.enter(10, 'b');
  expect(() => room.enter(10, 'c')).toThrow(
    expect.objectContaining({ kind: 'unavailable', retry_after_s: 5 }) as Problem,
  );
  two.dispose();
  expect(() => room.enter(91, 'b')).toThrow(Problem);
  using _three = room.enter(90, 'b');
});

test('when a message is above the limit, then it is admitted alone; what was promised always is', () => {
  const room = new Room({ limits: { messages: 1, bytes: 100 } });
  using _heavy = room.enter(1000, 'a');
  using _promised = room.take(1000, 'a');
  expect(() => room.enter(1, 'a')).toThrow(Problem);
});

test('when one principal fills its part of a room, then others still have theirs', () => {
  const room = new Room({ limits: { messages: 4, bytes: 100 } });
  using _one = room.enter(1, 'a');
  const two = room.enter(1, 'a');
  expect(() => room.enter(1, 'a')).toThrow(Problem);
  room.enter(1, 'b').dispose();
  using _heavy = room.enter(40, 'b');
  expect(() => room.enter(20, 'b')).toThrow(Problem);
  two.dispose();
  using _again = room.enter(1, 'a');
});
