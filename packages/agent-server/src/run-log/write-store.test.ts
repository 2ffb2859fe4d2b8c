import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { AttemptRef } from '@roadstead/contracts/host';
import { uuidv7 } from '@roadstead/kit';
import { type Database, migrate, openDatabase } from '@roadstead/postgres';
import { freshDatabase, useFixturePerTest } from '@roadstead/testing';
import { readTuple } from '../checkpoints/checkpoint-store.ts';
import { takeEpoch } from '../runs/run-store.ts';
import { commitWrites } from './write-store.ts';
import { ENGINE_SCHEMA, engineMigrations } from '../database/engine-migrations.ts';

const fresh = useFixturePerTest(freshDatabase);
const db = useFixturePerTest(() =>
  openDatabase({ url: fresh().url, max: 1, name: 'test', schema: ENGINE_SCHEMA }),
);
beforeEach(() => migrate(db(), { schema: ENGINE_SCHEMA, migrations: engineMigrations }));
const stack = useFixturePerTest(() => new AsyncDisposableStack());

/** A checkpoint whose channels hold these bytes; null for an empty channel. */
function putOf(thread_id: string, values: Readonly<Record<string, Buffer | null>>) {
  const channels = Object.entries(values).map(([channel, bytes], blob) => {
    return { channel, version: '1', type: bytes === null ? 'empty' : 'bytes', blob };
  });
  const channel_versions = Object.fromEntries(channels.map(({ channel }) => [channel, '1']));
  return {
    put: {
      thread_id,
      checkpoint_ns: '',
      checkpoint_id: 'c',
      parent_checkpoint_id: null,
      checkpoint: { v: 4, channel_versions },
      metadata: {},
      channels,
    },
    blobs: Object.values(values).map((bytes) => bytes ?? Buffer.alloc(0)),
  };
}

test('when channels and writes are stored, then each gets its own bytes, be they empty or absent', async () => {
  const [one, two] = [uuidv7(), uuidv7()];
  const random = randomBytes(100_000);
  const key = { thread_id: one, checkpoint_ns: '', checkpoint_id: 'c' };
  const writes = {
    ...key,
    task_id: 't',
    writes: [
      { channel: 'w', type: 'bytes', idx: 0, blob: 0 },
      { channel: '__interrupt__', type: 'bytes', idx: -3, blob: 1 },
      { channel: 'w', type: 'bytes', idx: 1, blob: 2 },
    ],
  };
  await commitWrites(db(), {
    batch: {
      puts: [
        putOf(one, { a: random, b: null, c: Buffer.alloc(0), d: Buffer.from('last') }),
        putOf(two, { a: Buffer.from('other') }),
      ],
      writes: [{ writes, blobs: [Buffer.from('first'), Buffer.from('asked'), Buffer.alloc(0)] }],
      finishes: [],
    },
    epoch: 0,
  });
  const read = async (thread_id: string) => {
    const { result, blobs } = await readTuple(db(), { thread_id, checkpoint_ns: '' });
    const bytes = (blob: number) => Buffer.from(blobs[blob] ?? []);
    return {
      channels: Object.fromEntries(result?.channels.map((each) => [each.channel, bytes(each.blob)]) ?? []),
      writes: result?.writes.map((each) => [each.idx, bytes(each.blob).toString()]),
    };
  };
  expect(await read(one)).toEqual({
    channels: { a: random, c: Buffer.alloc(0), d: Buffer.from('last') },
    writes: [
      [-3, 'asked'],
      [0, 'first'],
      [1, ''],
    ],
  });
  expect((await read(two)).channels).toEqual({ a: Buffer.from('other') });
});

test('when a run writes, then it stands only if its attempt is the present one', async () => {
  const [run_id, thread_id] = [uuidv7(), uuidv7()];
  await db().run(
    `insert into runs (run_id, thread_id, assistant_id, graph_id, revision_id, attempt, status, chunks, metadata)
     values ($1, $2, $1, 'agent', $1, 2, 'running', false, '{}')`,
    [run_id, thread_id],
  );
  const writeAs = async (id: string, ref: Partial<AttemptRef>) => {
    const { put, blobs } = putOf(id, { a: Buffer.from('said') });
    const { channels: _channels, checkpoint: _checkpoint, ...key } = put;
    const writes = { ...key, task_id: 't', ...ref };
    const set = (idx: number) => ({ ...writes, writes: [{ channel: 'w', type: 'bytes', idx, blob: 0 }] });
    await commitWrites(db(), {
      batch: {
        puts: [{ put: { ...put, ...ref }, blobs }],
        writes: [0, -3].map((idx) => ({ writes: set(idx), blobs })),
        finishes: [],
      },
      epoch: 0,
    });
    const tables = ['checkpoints', 'checkpoint_blobs', 'checkpoint_writes'];
    return Promise.all(tables.map((table) => db().run(`select from ${table} where thread_id = $1`, [id])));
  };
  expect(await writeAs(uuidv7(), { run_id, attempt: 1 })).toEqual([0, 0, 0]);
  expect(await writeAs(uuidv7(), { run_id, attempt: 2 })).toEqual([1, 1, 2]);
  expect(await writeAs(uuidv7(), {})).toEqual([1, 1, 2]);
  await db().run(`update runs set status = 'interrupted'`);
  expect(await writeAs(uuidv7(), { run_id, attempt: 2 })).toEqual([0, 0, 0]);
});

test('when an engine takes over, then it waits for what is being written, and refuses the rest', async () => {
  const first = uuidv7();
  const second = uuidv7();
  const taken: Promise<number>[] = [];
  const other = stack().use(openDatabase({ url: fresh().url, max: 2, name: 'other', schema: ENGINE_SCHEMA }));
  await db().transaction(async (tx) => {
    const within: Database = { ...db(), prepared: (_name, text, values) => tx.query(text, values) };
    await commitWrites(within, { batch: { puts: [putOf(first, {})], writes: [], finishes: [] }, epoch: 0 });
    taken.push(takeEpoch(other));
    await expect
      .poll(() => other.run(`select from pg_locks where not granted and locktype = 'transactionid'`))
      .toBe(1);
  });
  expect(await taken[0]).toBe(1);
  await commitWrites(db(), { batch: { puts: [putOf(second, {})], writes: [], finishes: [] }, epoch: 0 });
  expect(await db().query('select thread_id from checkpoints')).toEqual([{ thread_id: first }]);
});

test('when bytes are written, then they travel as bytes and not as text of twice the size', async () => {
  const sent: unknown[] = [];
  const noting: Database = {
    ...db(),
    prepared: async (_name, _text, values) => (sent.push(...values), []),
  };
  await commitWrites(noting, {
    batch: { puts: [putOf('t', { a: randomBytes(100) })], writes: [], finishes: [] },
    epoch: 0,
  });
  expect(sent.filter((value) => Buffer.isBuffer(value)).map(({ length }) => length)).toEqual([100]);
  expect(sent.flat().filter((value) => Buffer.isBuffer(value))).toHaveLength(1);
});
