import { expect, test } from 'vitest';
import type { RunEvent } from './run.ts';
import { RunFeed } from './run-feed.ts';

const never = new AbortController().signal;
const event = (seq: number): RunEvent => ({
  seq,
  at: '2026-01-01T00:00:00.000Z',
  ...(seq === 1000
    ? { kind: 'end', status: 'success', interrupts: [] }
    : { kind: 'chunk', message_id: 'm', text: `${seq}` }),
});

/** A feed over stored events; every event is stored before it is told. */
function feedOf() {
  const events: RunEvent[] = [];
  const reads: number[] = [];
  const feed = new RunFeed();
  const stored = async (after_seq: number, limit: number) => {
    reads.push(after_seq);
    return events.filter(({ seq }) => seq > after_seq).slice(0, limit);
  };
  const tell = (from: number, to: number) => {
    for (let seq = from; seq <= to; seq += 1) {
      events.push(event(seq));
      feed.publish('task', [event(seq)]);
    }
  };
  return { reads, tell, follow: () => feed.follow('task', { after_seq: 0, stored, signal: never }) };
}

test('a reader that is too slow reads what it missed from the database, each event once and in order', async () => {
  const { reads, tell, follow } = feedOf();
  tell(1, 1);
  const reading = follow();
  expect((await reading.next()).value?.seq).toBe(1);
  tell(2, 999);
  expect((await reading.next()).value?.seq).toBe(2);
  tell(1000, 1000);
  const rest = await Array.fromAsync(reading);
  expect(rest.map(({ seq }) => seq)).toEqual(Array.from({ length: 998 }, (_, at) => at + 3));
  expect(reads.length).toBeGreaterThan(10);
});

test('a reader that keeps up reads the database once', async () => {
  const { reads, tell, follow } = feedOf();
  tell(1, 3);
  const reading = follow();
  for (const seq of [1, 2, 3]) expect((await reading.next()).value?.seq).toBe(seq);
  for (let seq = 4; seq <= 1000; seq += 1) {
    const next = reading.next();
    tell(seq, seq);
    expect((await next).value?.seq).toBe(seq);
  }
  expect((await reading.next()).done).toBe(true);
  expect(reads).toEqual([0]);
});
