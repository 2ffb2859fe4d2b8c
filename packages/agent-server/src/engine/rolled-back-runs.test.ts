import { expect, test } from 'vitest';
import { uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { engineDatabase } from '../testing/engine-database.ts';
import { markCancelled } from '../runs/run-store.ts';
import { fresh, never, runOf, useGatedRuns } from '../testing/gated-runs.ts';

const { stack, gated, opened } = useGatedRuns();

test('when a rollback is cut short before the removal, then the next engine removes the run', async () => {
  const first = gated();
  const { engine: old, db } = await opened(first.script);
  first.open('kept');
  const thread = fresh();
  const kept = await old.create(runOf('kept', thread));
  await old.ended(kept.run_id, never);
  first.open('gone');
  const gone = await old.create(runOf('gone', { thread_id: thread.thread_id }));
  await old.ended(gone.run_id, never);
  await old[Symbol.asyncDispose]();
  const metadata = (run_id: string) => JSON.stringify({ run_id });
  await db.run(
    `insert into checkpoints (thread_id, checkpoint_id, checkpoint, metadata)
     values ($1, 'a', '{}', $2::text::jsonb), ($1, 'b', '{}', $3::text::jsonb)`,
    [thread.thread_id, metadata(kept.run_id), metadata(gone.run_id)],
  );
  await db.run(`update runs set cancel = '{"action":"rollback","reason":"Asked for."}' where run_id = $1`, [
    gone.run_id,
  ]);

  const { engine } = await opened(first.script, db);
  expect((await engine.find(kept.run_id))?.status).toBe('success');
  expect(await engine.find(gone.run_id)).toBeUndefined();
  expect(await db.query('select checkpoint_id from checkpoints')).toEqual([{ checkpoint_id: 'a' }]);
  expect(await db.query('select from run_events where run_id = $1', [gone.run_id])).toEqual([]);
});

test.each(['cancelled', 'ended by itself'] as const)(
  'when a run is rolled back, %s, then its thread is as it was, and nothing it wrote is left',
  async (how) => {
    const { script, open, began } = gated();
    const { engine, db } = await opened(script);
    const thread_id = uuidv7();
    const question = [{ id: 'q', value: 'Sure?', task_id: 't' }];
    await db.run(
      `insert into threads (thread_id, graph_id, status, interrupts, "values", values_stale, has_checkpoint)
       values ($1, 'agent', 'interrupted', $2::text::jsonb, '{"n":1}', false, true)`,
      [thread_id, JSON.stringify(question)],
    );
    const checkpoint = (id: string, versions: object, metadata: object) =>
      db.run(
        `insert into checkpoints (thread_id, checkpoint_id, checkpoint, metadata)
         values ($1, $2, jsonb_build_object('channel_versions', $3::text::jsonb), $4::text::jsonb)`,
        [thread_id, id, JSON.stringify(versions), JSON.stringify(metadata)],
      );
    const blob = (channel: string, version: string) =>
      db.run(
        `insert into checkpoint_blobs (thread_id, channel, version, type, blob) values ($1, $2, $3, 'json', 'x')`,
        [thread_id, channel, version],
      );
    await checkpoint('c1', { a: '1', b: '1' }, { run_id: uuidv7() });
    await Promise.all([blob('a', '1'), blob('b', '1')]);
    const before = await db.one(
      'select status, interrupts, "values", values_stale, has_checkpoint from threads',
    );
    const { run_id } = await engine.create(runOf('one', { thread_id }));
    await expect.poll(() => began).toEqual(['one']);
    await checkpoint('c2', { a: '1', b: '2' }, { run_id });
    await checkpoint('c3', { a: '2', b: '2' }, { run_id });
    await Promise.all([blob('b', '2'), blob('a', '2')]);
    if (how === 'cancelled') await engine.cancel(run_id, { action: 'rollback', reason: 'Asked for.' });
    else {
      const cancel = JSON.stringify({ action: 'rollback', reason: 'Asked for.' });
      await db.run('update runs set cancel = $2::text::jsonb where run_id = $1', [run_id, cancel]);
      open('one');
      await engine.ended(run_id, never);
      await engine.cancel(run_id, { action: 'rollback', reason: 'Asked for.' });
      await (await opened(script, db)).engine.find(run_id);
    }
    await expect.poll(() => engine.find(run_id)).toBeUndefined();
    expect(
      await db.one('select status, interrupts, "values", values_stale, has_checkpoint from threads'),
    ).toEqual(before);
    expect(await db.query('select checkpoint_id from checkpoints')).toEqual([{ checkpoint_id: 'c1' }]);
    expect(await db.query('select channel, version from checkpoint_blobs order by 1, 2')).toEqual([
      { channel: 'a', version: '1' },
      { channel: 'b', version: '1' },
    ]);
  },
);

test.each([
  ['interrupt', 'rollback'],
  ['rollback', 'interrupt'],
] as const)(
  'when two cancels come at once, %s and %s, then the rollback counts, here and stored',
  async (first, second) => {
    const { script, began } = gated();
    const { engine, db } = await opened(script);
    const { run_id } = await engine.create(runOf('one', fresh()));
    await expect.poll(() => began).toEqual(['one']);
    // The first is committed, and its answer on its way, when the second comes.
    const cancel = { action: first, reason: 'First.' };
    expect(await markCancelled(db, { run_id, cancel, epoch: engine.epoch })).toEqual(cancel);
    const noted = await markCancelled(db, {
      run_id,
      cancel: { action: second, reason: 'Second.' },
      epoch: engine.epoch,
    });
    expect(noted?.action).toBe('rollback');
    await engine.cancel(run_id, { action: 'interrupt', reason: 'Third.' });
    await expect.poll(() => engine.find(run_id)).toBeUndefined();
  },
);

test('when a run ends by itself while its rollback is noted, then it is gone, too', async () => {
  const { script, open, began } = gated();
  const { db } = stack().use(await engineDatabase());
  let ended: Promise<unknown> | undefined;
  const maybe: Database['maybe'] = async (sql, values) => {
    const noted = await db.maybe<never>(sql, values);
    if (sql.includes('cancel = case')) {
      open('one');
      await ended;
    }
    return noted;
  };
  const { engine } = await opened(script, Object.assign(Object.create(db) as Database, { maybe }));
  const { run_id } = await engine.create(runOf('one', fresh()));
  await expect.poll(() => began).toEqual(['one']);
  ended = engine.ended(run_id, never);
  await engine.cancel(run_id, { action: 'rollback', reason: 'Asked for.' });
  expect(await engine.find(run_id)).toBeUndefined();
});
