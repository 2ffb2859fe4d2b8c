import { expect, test } from 'vitest';
import { lockHolder } from '../records/instance-store.ts';
import { LISTENER_ID } from '../testing/fixture.ts';
import { line, useLoggedDeployments } from '../testing/logged-deployment.ts';
import { appendLogs } from './log-store.ts';

const { fixture, client, begin } = useLoggedDeployments();

/** Settles once a statement waits for a lock in this database. */
async function untilOneWaits(): Promise<void> {
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(() => fixture().db.query(waiting), { timeout: 10_000 }).toHaveLength(1);
}

test('when logs come while their deployment is deleted, then neither ends the other', async () => {
  const { deployment_id, revision_id } = await begin();
  const { fence } = await fixture().db.one<{ fence: number }>('select fence from listeners where id = $1', [
    LISTENER_ID,
  ]);
  let deleting: Promise<unknown> | undefined;
  await appendLogs(fixture().db, {
    deployment_id,
    revision_id,
    kind: 'server',
    writer: 'w',
    seq: 0,
    lines: [line('one of many')],
    check: async (tx) => {
      await lockHolder(tx, { listener_id: LISTENER_ID, deployment_id, fence });
      // It has the deployment, and waits for the assignment.
      deleting = client().deleteDeployment({ params: { deployment_id } });
      deleting.catch(() => undefined);
      await untilOneWaits();
    },
  });
  await deleting;
  expect(await client().readDeployment({ params: { deployment_id } })).toMatchObject({
    status: 'AWAITING_DELETE',
  });
});
