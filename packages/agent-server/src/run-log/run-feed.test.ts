import { expect, test } from 'vitest';
import type { RunEvent } from '../runs/run.ts';
import { RunFeed } from './run-feed.ts';

const never = new AbortController().signal;
const LAST = 1000;
const event = (seq: number, text = `${seq}`): RunEvent => ({
  seq,
  at: '2026-01-01T00:00:00.000Z',
  ...(seq === LAST
    ? { kind: 'end', status: 'success', interrupts: [] }
    : { kind: 'chunk', message_id: 'm', text }),
});
const MB = 'x'.repeat(1_048_576);

/** A feed over stored events; every event is stored before it is told. */
function feedOf() {
  const events: RunEvent[] = [];
  const reads: number[] = [];
  const feed = new RunFeed();
  const stored = async (after_seq: number) => {
    reads.push(after_seq);
    const page = events.filter(({ seq }) => seq > after_seq).slice(0, 16);
    return { events: page, has_more: page.length === 16 };
  };
  const tell = (from: number, to: number, text?: string) => {
    for (let seq = from; seq <= to; seq += 1) {
      events.push(event(seq, text));
      feed.publish('task', [event(seq, text)]);
    }
  };
  const follow = ({ after_seq = 0, onBehind }: { after_seq?: number; onBehind?: () => void } = {}) =>
    feed.follow('task', { after_seq, stored, signal: never, onBehind });
  return { reads, tell, follow };
}

test('when a reader is too slow, then it reads what it missed from the database, once, in order', async () => {
  const { reads, tell, follow } = feedOf();
  tell(1, 1);
  const reading = follow();
  expect((await reading.next()).value?.seq).toBe(1);
  tell(2, 999, 'x'.repeat(1000));
  expect((await reading.next()).value?.seq).toBe(2);
  tell(LAST, LAST);
  const rest = await Array.fromAsync(reading);
  expect(rest.map(({ seq }) => seq)).toEqual(Array.from({ length: 998 }, (_, at) => at + 3));
  expect(reads.length).toBeGreaterThan(10);
});

test('when a reader keeps up, then it reads the database once', async () => {
  const { reads, tell, follow } = feedOf();
  tell(1, 3);
  const reading = follow({ onBehind: () => expect.unreachable() });
  for (const seq of [1, 2, 3]) expect((await reading.next()).value?.seq).toBe(seq);
  for (let seq = 4; seq <= LAST; seq += 1) {
    const next = reading.next();
    tell(seq, seq, MB);
    expect((await next).value?.seq).toBe(seq);
  }
  expect((await reading.next()).done).toBe(true);
  expect(reads).toEqual([0]);
});

test('when a reader is more than 8 MB behind, then it is cut, and goes on with exactly the rest', async () => {
  const { tell, follow } = feedOf();
  let told = 0;
  const reading = follow({ onBehind: () => (told += 1) });
  const first = reading.next();
  tell(1, 1);
  expect((await first).value?.seq).toBe(1);
  tell(2, 9, MB);
  // Eight are waiting; one is taken, and makes room for another.
  expect((await reading.next()).value?.seq).toBe(2);
  tell(10, 10, MB);
  expect(told).toBe(0);
  tell(11, 12, MB);
  expect(told).toBe(1);
  tell(13, 20, MB);
  await expect(reading.next()).rejects.toThrow('more than 8 MB behind');
  expect(told).toBe(1);
  const again = follow({ after_seq: 2, onBehind: () => (told += 1) });
  for (let seq = 3; seq <= 20; seq += 1) expect((await again.next()).value?.seq).toBe(seq);
  tell(LAST, LAST);
  expect((await again.next()).value?.seq).toBe(LAST);
  expect(told).toBe(1);
});

test('when one event is larger than 8 MB, then nobody is cut who has taken all before', async () => {
  const { tell, follow } = feedOf();
  const reading = follow({ onBehind: () => expect.unreachable() });
  for (const seq of [1, 2, 3]) {
    const next = reading.next();
    tell(seq, seq, MB.repeat(20));
    expect((await next).value?.seq).toBe(seq);
  }
});

test('when a reader can’t be told, then it is never cut, however far behind', async () => {
  const { tell, follow } = feedOf();
  const reading = follow();
  const first = reading.next();
  tell(1, 30, MB);
  tell(LAST, LAST);
  expect((await first).value?.seq).toBe(1);
  expect(await Array.fromAsync(reading)).toHaveLength(30);
});
