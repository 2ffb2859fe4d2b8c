import { uuidv7 } from '@roadstead/kit';
import { expect, it } from 'vitest';
import { startFixture, WORKSPACE } from '../testing/observability-fixture.ts';
import { noteChanges } from './change-store.ts';

it('when many runs are noted, then they are several changes, each run once', async () => {
  await using fixture = await startFixture();
  const place = { workspace_id: WORKSPACE, tier: 'longlived', week: '2026-01-05' };
  const runs = Array.from({ length: 1200 }, () => ({ ...place, run_id: uuidv7() }));
  // The changes are read in the transaction that writes them: the service digests what it sees.
  const changes = await fixture.fresh.db.transaction(async (tx) => {
    await noteChanges(tx, [...runs, ...runs.slice(0, 100)]);
    return tx.query<{ run_ids: string[] }>('select run_ids from traces.changes');
  });
  expect(changes.map(({ run_ids }) => run_ids.length).sort((a, b) => a - b)).toEqual([200, 500, 500]);
  expect(new Set(changes.flatMap(({ run_ids }) => run_ids))).toEqual(
    new Set(runs.map(({ run_id }) => run_id)),
  );
});
