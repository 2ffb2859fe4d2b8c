import { expect, test } from 'vitest';
import { silentLog } from '@roadstead/kit';
import type { PutWithBlobs } from '../checkpoints/checkpoint-store.ts';
import { CommitLog } from './commit-log.ts';
import type { WriteBatch } from './write-store.ts';
import type { FinishRecord } from '../runs/records.ts';

const put = (id: string) => ({ put: { checkpoint_id: id }, blobs: [] }) as unknown as PutWithBlobs;
const finish = (run_id: string) => ({ run_id, attempt: 1 }) as unknown as FinishRecord;

/** A database that commits one batch at a time, when it is told to. */
function slowDatabase() {
  const batches: string[][] = [];
  const gates: (() => void)[] = [];
  const flush = async (batch: WriteBatch) => {
    batches.push([
      ...batch.puts.map((one) => one.put.checkpoint_id),
      ...batch.finishes.map((one) => `end of ${one.run_id}`),
    ]);
    await new Promise<void>((resolve) => gates.push(resolve));
    return new Set(batch.finishes.map((one) => one.run_id));
  };
  return { batches, gates, flush };
}

const open = (
  flush: (batch: WriteBatch) => Promise<ReadonlySet<string>>,
  limits: { max_waiting_bytes?: number } = {},
) =>
  new CommitLog({
    flush,
    hasEnded: async () => false,
    closed: new AbortController().signal,
    log: silentLog,
    ...limits,
  });
const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
};

test('when checkpoints are not awaited, then they are committed with the end of their run', async () => {
  const db = slowDatabase();
  const log = open(db.flush);
  void log.put('run', put('1'), 'soon');
  void log.put('run', put('2'), 'soon');
  const ended = log.finish(finish('run'));
  await until(() => db.gates.length === 1);
  expect(db.batches).toEqual([['1', '2', 'end of run']]);
  db.gates[0]?.();
  expect(await ended).toBe(true);
});

test('when a run does not end, then its checkpoints are committed, too', async () => {
  const db = slowDatabase();
  const log = open(db.flush);
  const committed = log.put('run', put('1'), 'soon');
  await until(() => db.gates.length === 1);
  db.gates[0]?.();
  expect(await committed).toBe(true);
});

test('when something comes while a commit is in flight, then it goes into the next one', async () => {
  const db = slowDatabase();
  const log = open(db.flush);
  const first = log.finish(finish('a'));
  await until(() => db.gates.length === 1);
  const rest = [log.put('b', put('1'), 'soon'), log.finish(finish('b')), log.finish(finish('c'))];
  db.gates[0]?.();
  await first;
  await until(() => db.gates.length === 2);
  db.gates[1]?.();
  await Promise.all(rest);
  expect(db.batches).toEqual([['end of a'], ['1', 'end of b', 'end of c']]);
});

test('when somebody reads, then they wait for what was added before, and for nothing later', async () => {
  const db = slowDatabase();
  const log = open(db.flush);
  await log.caughtUp();
  void log.put('run', put('1'), 'soon');
  const caughtUp = log.caughtUp();
  await until(() => db.gates.length === 1);
  const later = log.finish(finish('later'));
  db.gates[0]?.();
  await caughtUp;
  expect(db.batches[0]).toEqual(['1']);
  await until(() => db.gates.length === 2);
  db.gates[1]?.();
  await later;
});

test('when a log closes, then it writes what waits', async () => {
  const db = slowDatabase();
  const log = open(db.flush);
  void log.put('run', put('1'), 'soon');
  const closed = log[Symbol.asyncDispose]();
  await until(() => db.gates.length === 1);
  db.gates[0]?.();
  await closed;
  expect(db.batches).toEqual([['1']]);
});

test('when a log is full, then it refuses checkpoints for a while, and always takes an end', async () => {
  const db = slowDatabase();
  const log = open(db.flush, { max_waiting_bytes: 3000 });
  const heavy = (id: string) => ({ ...put(id), blobs: [new Uint8Array(1000)] });
  void log.put('run', heavy('1'), 'now');
  await until(() => db.gates.length === 1);
  void log.put('run', heavy('2'), 'now');
  await expect(log.put('other', heavy('3'), 'soon')).rejects.toThrow('can’t keep up');
  const ended = log.finish(finish('other'));
  db.gates[0]?.();
  await until(() => db.gates.length === 2);
  void log.put('third', heavy('4'), 'now');
  db.gates[1]?.();
  expect(await ended).toBe(true);
  await until(() => db.gates.length === 3);
  db.gates[2]?.();
  expect(db.batches).toEqual([['1'], ['2', 'end of other'], ['4']]);
});

test('when entries wait, then a commit takes so many bytes at most, and one entry however heavy', async () => {
  const db = slowDatabase();
  const log = open(db.flush);
  const heavy = (id: string, megabytes: number) => ({
    ...put(id),
    blobs: [new Uint8Array(megabytes * 1024 * 1024)],
  });
  const all = [
    log.put('a', heavy('1', 7), 'soon'),
    log.put('b', heavy('2', 7), 'soon'),
    log.put('b', heavy('3', 7), 'soon'),
    log.put('b', heavy('4', 40), 'soon'),
    log.finish(finish('b')),
  ];
  for (const at of [0, 1, 2, 3]) {
    await until(() => db.gates.length > at);
    db.gates[at]?.();
  }
  await Promise.all(all);
  expect(db.batches).toEqual([['1', '2'], ['3'], ['4'], ['end of b']]);
});

test('when a run’s checkpoint is refused, then it does not end well by what it added since', async () => {
  const refused = Promise.withResolvers<void>();
  const batches: number[] = [];
  const log = open(async (batch) => {
    batches.push(batch.finishes.length);
    await refused.promise;
    if (batch.puts.length > 0) throw new Error('no such column');
    return new Set(batch.finishes.map((one) => one.run_id));
  });
  const checkpoint = log.put('run', put('1'), 'now');
  await until(() => batches.length === 1);
  const ends = [log.finish(finish('run')), log.finish(finish('other'))];
  refused.resolve();
  await expect(checkpoint).rejects.toThrow('no such column');
  await expect(ends[0]).rejects.toThrow('no such column');
  expect(await ends[1]).toBe(true);
});
