import { expect, test } from 'vitest';
import { silentLog } from '@roadstead/kit';
import { type Database, whileClaimed } from '@roadstead/postgres';
import { freshDatabase } from '@roadstead/testing';
import { migrations } from '../migrations/index.ts';
import { datasetKey, datasetRemovalLoop } from './dataset-removal-loop.ts';
import { removeSomeExamples } from './dataset-removal-store.ts';

async function deletedDataset(db: Database, examples: number, deleted_at: string) {
  const [workspace_id, id] = [crypto.randomUUID(), crypto.randomUUID()];
  await db.run(
    `insert into traces.datasets (workspace_id, id, name, data_type, created_at, modified_at, deleted_at)
     values ($1, $2, 'd', 'kv', now(), now(), $3)`,
    [workspace_id, id, deleted_at],
  );
  await db.run(
    `insert into traces.examples (workspace_id, example_id, dataset_id, valid_from, created_at, inputs)
     select $1, gen_random_uuid(), $2, now(), now(), '' from generate_series(1, $3::int)`,
    [workspace_id, id, examples],
  );
  return { workspace_id, id };
}

test('when a workspace deletes much, then another’s deletion waits for one step of it', async () => {
  await using fresh = await freshDatabase('traces', [{ schema: 'traces', migrations }]);
  const { db } = fresh;
  const { workspace_id: large } = await deletedDataset(db, 20_000, '2026-01-01');
  const { workspace_id: small } = await deletedDataset(db, 1, '2026-01-02');
  const left: Record<string, number> = {};
  const count = async () =>
    (await db.one<{ count: number }>('select count(*) from traces.examples where workspace_id = $1', [large]))
      .count;
  // Counts the remaining examples of the large dataset when the small one is removed.
  await db.run(
    `create table traces.seen (workspace_id uuid, large integer);
     create function traces.note() returns trigger language plpgsql as $$
     begin
       insert into traces.seen select old.workspace_id, count(*) from traces.examples where workspace_id = '${large}';
       return null;
     end $$;
     create trigger note after delete on traces.datasets for each row execute function traces.note()`,
  );
  await using _loop = datasetRemovalLoop(db, silentLog).start();
  await expect.poll(count).toBe(0);
  const seen = () => db.query<{ workspace_id: string; large: number }>('select * from traces.seen');
  await expect.poll(async () => (await seen()).length).toBe(2);
  for (const { workspace_id, large: examples } of await seen()) left[workspace_id] = examples;
  expect(left[small]).toBeGreaterThanOrEqual(17_000);
  expect(left[large]).toBe(0);
});

test('when another instance removes a step of the examples, then none of them is left', async () => {
  await using fresh = await freshDatabase('traces', [{ schema: 'traces', migrations }]);
  const { db } = fresh;
  const dataset = await deletedDataset(db, 1500, '2026-01-01');
  const counts = () =>
    db.one<{ examples: number; datasets: number }>(
      `select (select count(*)::int from traces.examples where dataset_id = $1) as examples,
         (select count(*)::int from traces.datasets where id = $1) as datasets`,
      [dataset.id],
    );
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const elsewhere = whileClaimed(db, `dataset removal ${datasetKey(dataset)}`, {
    work: () =>
      db.transaction(async (tx) => {
        await removeSomeExamples(tx, dataset);
        begun.resolve();
        await ended.promise;
      }),
  });
  await begun.promise;
  let tries = 0;
  const watched = new Proxy(db, {
    get: (target, name) => {
      if (name === 'patientTransaction' || name === 'run') tries += 1;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  await using _loop = datasetRemovalLoop(watched, silentLog).start();
  const blocked = () =>
    db.one<{ count: number }>(
      `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
  // It has come and gone, or it waits for the rows.
  await expect.poll(async () => tries > 1 || (await blocked()).count > 0).toBe(true);
  ended.resolve();
  await elsewhere;
  await expect.poll(counts).toEqual({ examples: 0, datasets: 0 });
});
