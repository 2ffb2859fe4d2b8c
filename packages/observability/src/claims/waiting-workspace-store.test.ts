import { expect, test } from 'vitest';
import { freshDatabase } from '@roadstead/testing';
import { listUndigestedWorkspaces } from '../digest/undigested-store.ts';
import { migrations } from '../migrations/index.ts';
import { listWorkspacesOfStrays } from '../writing/orphan-store.ts';

const greedy = '00000000-0000-4000-8000-00000000000a';
const other = '00000000-0000-4000-8000-00000000000b';
const early = '00000000-0000-4000-8000-00000000000c';

test('when one workspace has 50,000 rows waiting, then few look-ups find all that wait', async () => {
  await using fresh = await freshDatabase('traces', [{ schema: 'traces', migrations }]);
  const { db } = fresh;
  const strays = `insert into traces.strays (workspace_id, run_id, trace_id, tier, week, kept_at)
    select $1, gen_random_uuid(), gen_random_uuid(), 'longlived', '2026-01-05', now() - make_interval(mins => $2)
    from generate_series(1, $3::int)`;
  const set_aside = `insert into traces.undigested (workspace_id, run_id, tier, week, reason, due_at)
    select $1, gen_random_uuid(), 'longlived', '2026-01-05', '', now() - make_interval(mins => $2)
    from generate_series(1, $3::int)`;
  for (const insert of [strays, set_aside]) {
    await db.run(insert, [greedy, 10, 50_000]);
    await db.run(insert, [other, 10, 1]);
    await db.run(insert, [early, -10, 1]);
  }
  for (const table of ['strays', 'undigested']) await db.run(`vacuum analyze traces.${table}`);
  const read = async () => {
    await db.run('select pg_stat_force_next_flush()');
    const { count } = await db.one<{ count: number }>(
      `select sum(idx_tup_read)::integer + sum(seq_tup_read)::integer as count from pg_stat_user_tables t
       cross join lateral (select sum(idx_tup_read) as idx_tup_read from pg_stat_user_indexes i where i.relid = t.relid) i
       where relname in ('strays', 'undigested')`,
    );
    return count;
  };
  const list = async () => [
    (await listWorkspacesOfStrays(db, 300_000)).toSorted(),
    (await listUndigestedWorkspaces(db)).toSorted(),
  ];
  expect(await list()).toEqual([
    [greedy, other],
    [greedy, other],
  ]);
  await expect
    .poll(async () => {
      const before = await read();
      await list();
      return (await read()) - before;
    })
    .toBeLessThan(50);
});
