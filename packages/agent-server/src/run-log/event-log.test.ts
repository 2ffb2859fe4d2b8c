import { afterEach, expect, test, vi } from 'vitest';
import { silentLog } from '@roadstead/kit';
import { squeeze, windowOf } from './event-rules.ts';
import { EventLog, type ReportedEvents } from './event-log.ts';
import type { RunEvent } from '../runs/run.ts';

const piece = (seq: number, message_id: string): RunEvent => ({
  seq,
  at: '2026-01-01T00:00:00.000Z',
  kind: 'chunk',
  message_id,
  text: `${seq} `,
});

test('when the database is slow, then a run’s pending events take no more memory than its text', async () => {
  const written: (readonly ReportedEvents[])[] = [];
  const slow = Promise.withResolvers<void>();
  const log = new EventLog({
    insert: async (told) => {
      written.push(told);
      await slow.promise;
    },
    publish: () => undefined,
    onRefused: () => undefined,
    closed: new AbortController().signal,
    log: silentLog,
  });
  log.add('run', [piece(1, 'odd')]);
  await expect.poll(() => written.length).toBe(1);
  for (let seq = 2; seq <= 10_001; seq += 1) log.add('run', [piece(seq, seq % 2 === 0 ? 'even' : 'odd')]);
  const taken = log.take('run');
  slow.resolve();
  const events = await taken;
  expect(events.length).toBeLessThan(600);
  const said = (id: string) =>
    events.map((event) => (event.kind === 'chunk' && event.message_id === id ? event.text : '')).join('');
  expect(said('even').split(' ')).toHaveLength(5001);
  expect(said('odd').split(' ')).toHaveLength(5001);
});

test('when the database refuses what one run says, then nothing of the others is kept back', async () => {
  const published: string[] = [];
  const refused: string[] = [];
  const log = new EventLog({
    insert: async (told) => {
      if (told.some(({ run_id }) => run_id === 'bad')) throw new Error('refused');
    },
    publish: (run_id) => published.push(run_id),
    onRefused: (run_id) => refused.push(run_id),
    closed: new AbortController().signal,
    log: silentLog,
  });
  for (const run_id of ['one', 'bad', 'two']) log.add(run_id, [piece(1, 'm')]);
  await expect.poll(() => published.length + refused.length).toBe(3);
  expect([published, refused]).toEqual([['one', 'two'], ['bad']]);
});

test('when a new attempt says something again, then that stands behind its beginning', () => {
  const started: RunEvent = { seq: 2, at: '2026-01-01T00:00:00.000Z', kind: 'started', attempt: 2 };
  const told = [piece(1, 'answer'), started, piece(3, 'answer')];
  expect(squeeze(told)).toEqual(told);
});

test('when little of a run is unwritten, then it has room again; a quiet run has it all the time', async () => {
  const slow = Promise.withResolvers<void>();
  const written: string[] = [];
  const log = new EventLog({
    insert: async (told) => {
      await slow.promise;
      for (const { run_id, events } of told) written.push(`${run_id} ${events.length}`);
    },
    publish: () => undefined,
    onRefused: () => undefined,
    closed: new AbortController().signal,
    log: silentLog,
  });
  const stream = (seq: number): RunEvent => ({
    seq,
    at: '2026-01-01T00:00:00.000Z',
    kind: 'stream',
    event: 'values',
    ns: [],
    data: 'x'.repeat(400_000),
  });
  log.add('quiet', [stream(1)]);
  log.add('loud', [stream(1), stream(2), stream(3)]);
  const told: string[] = [];
  const loud = log.room('loud').then(() => told.push('loud'));
  await log.room('quiet');
  expect(told).toEqual([]);
  slow.resolve();
  await loud;
  expect(written).toEqual(['quiet 1', 'loud 3']);
});

test.each([
  [0, 50],
  [200, 50],
  [400, 100],
  [1000, 250],
  [20_000, 250],
])('when events of %i runs were written last, then the next wait for %i ms', (runs, window_ms) => {
  expect(windowOf(runs)).toBe(window_ms);
});

/** A log by a clock that stands still, and an insert that waits until `commit`. */
function steadyLog() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const statements: string[][] = [];
  let committed = Promise.withResolvers<void>();
  const log = new EventLog({
    insert: async (told) => {
      statements.push(told.map(({ run_id }) => run_id));
      await committed.promise;
    },
    publish: () => undefined,
    onRefused: () => undefined,
    closed: new AbortController().signal,
    log: silentLog,
  });
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const commit = async () => {
    committed.resolve();
    committed = Promise.withResolvers();
    await pass(0);
  };
  return { log, statements, pass, commit };
}

afterEach(() => void vi.useRealTimers());

test('when a run has its first events, then they are written alone, and others keep their window', async () => {
  const { log, statements, pass, commit } = steadyLog();
  log.add('old', [piece(1, 'm')]);
  await pass(0);
  await commit();
  await pass(49);
  log.add('old', [piece(2, 'm')]);
  await pass(1);
  await commit();
  log.add('old', [piece(3, 'm')]);
  await pass(30);
  log.add('new', [piece(1, 'm')]);
  await pass(0);
  await commit();
  await pass(19);
  expect(statements).toEqual([['old'], ['old'], ['new']]);
  await pass(1);
  expect(statements.at(-1)).toEqual(['old']);
  expect(statements).toHaveLength(4);
});

test('when a window had events of many runs, then the next is longer', async () => {
  const { log, statements, pass, commit } = steadyLog();
  const runs = Array.from({ length: 400 }, (_, at) => `${at}`);
  for (const run_id of runs) log.add(run_id, [piece(1, 'm')]);
  await pass(0);
  await commit();
  for (const run_id of runs) log.add(run_id, [piece(2, 'm')]);
  await pass(50);
  await commit();
  for (const run_id of runs) log.add(run_id, [piece(3, 'm')]);
  await pass(99);
  expect(statements).toHaveLength(2);
  await pass(1);
  expect(statements).toHaveLength(3);
});

test('when a window ends while a statement is in flight, then its events are written right after', async () => {
  const { log, statements, pass, commit } = steadyLog();
  log.add('one', [piece(1, 'm')]);
  await pass(0);
  log.add('one', [piece(2, 'm')]);
  log.add('two', [piece(1, 'm')]);
  await pass(60);
  expect(statements).toEqual([['one']]);
  await commit();
  expect(statements).toEqual([['one'], ['one', 'two']]);
});

test('when a run ends, then it waits for its own events in flight, and for those of no other run', async () => {
  const { log, statements, pass, commit } = steadyLog();
  log.add('one', [piece(1, 'm')]);
  await pass(0);
  log.add('two', [piece(1, 'm')]);
  expect((await log.take('two')).map(({ seq }) => seq)).toEqual([1]);
  log.add('one', [piece(2, 'm')]);
  let is_taken = false;
  const taken = log.take('one').finally(() => {
    is_taken = true;
  });
  await pass(60);
  expect(is_taken).toBe(false);
  await commit();
  expect((await taken).map(({ seq }) => seq)).toEqual([2]);
  expect(statements).toEqual([['one']]);
});
