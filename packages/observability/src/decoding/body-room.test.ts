import { expect, test } from 'vitest';
import { BodyRoom } from './body-room.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function isWaiting(promise: Promise<void>): Promise<boolean> {
  let waits = true;
  promise.then(
    () => (waits = false),
    () => (waits = false),
  );
  await turn();
  return waits;
}

test('when bodies of a workspace fill its half, then the next waits until there is room', async () => {
  const room = new BodyRoom({ max_bytes: 200 });
  const [first, second, third] = [room.enter('a'), room.enter('a'), room.enter('a')];
  await first.hold(60);
  const large = second.hold(60);
  expect(await isWaiting(large)).toBe(true);
  expect(await isWaiting(third.hold(10))).toBe(false);
  await first.hold(20);
  await large;
});

test('when bodies of one workspace fill its half slowly, then another’s are read at once', async () => {
  const room = new BodyRoom({ max_bytes: 200 });
  const slow = Array.from({ length: 20 }, () => room.enter('greedy').hold(10));
  expect(await Promise.all(slow.map(isWaiting))).toEqual(slow.map((_, at) => at >= 10));
  const other = room.enter('b');
  for (const bytes of [1, 50, 100]) expect(await isWaiting(other.hold(bytes))).toBe(false);
});

test('when a body came first of its workspace, then it gets all it needs, even beyond the room', async () => {
  const room = new BodyRoom({ max_bytes: 100 });
  const [first, second] = [room.enter('a'), room.enter('a')];
  await second.hold(90);
  await first.hold(1_000_000);
  const more = second.hold(91);
  expect(await isWaiting(more)).toBe(true);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  await more;
});

test('when bodies all need more, then they get it one after the other', async () => {
  const room = new BodyRoom({ max_bytes: 100 });
  const ends: number[] = [];
  const grow = async (name: number) => {
    using body = room.enter('a');
    await body.hold(30);
    await body.hold(80);
    ends.push(name);
  };
  await Promise.all([1, 2, 3, 4].map(grow));
  expect(ends).toEqual([1, 2, 3, 4]);
});

test('when a body’s client has gone, then the body waits no longer', async () => {
  const room = new BodyRoom({ max_bytes: 100 });
  await room.enter('a').hold(50);
  const gone = new AbortController();
  const waiting = room.enter('a', gone.signal).hold(10);
  gone.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
});

test('when a workspace has half of the bodies, then its clients come again, and others are taken', () => {
  const room = new BodyRoom({ max_bodies: 10 });
  for (let at = 0; at < 5; at += 1) room.enter('a');
  expect(() => room.enter('a')).toThrow(expect.objectContaining({ kind: 'unavailable', retry_after_s: 2 }));
  room.enter('b');
});
