import { silentLog, uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { expect, it } from 'vitest';
import { startFixture, WORKSPACE } from '../testing/observability-fixture.ts';
import { orphanLoop, promoteOrphans } from './orphan-loop.ts';

const fixture = useFixture(startFixture);

type Free = Readonly<Record<string, unknown>>;
const send = async (run: Free) => {
  const answer = await fixture().send('/runs', { method: 'POST', body: JSON.stringify(run) });
  expect(answer.status).toBe(202);
};
const read = async (id: string) =>
  (await (await fixture().send(`/runs/${id}`)).json()) as Free & { extra: Free };
const promote = (grace_ms: number) =>
  promoteOrphans(fixture().fresh.db, { workspace_id: WORKSPACE, grace_ms });
const run = (id: string, more: Free) => ({
  id,
  name: 'run',
  run_type: 'chain',
  start_time: '2026-01-05T10:20:30Z',
  end_time: '2026-01-05T10:20:31Z',
  ...more,
});

it('when the parent of a run does not come, then the run is a root until the parent comes', async () => {
  const [parent, orphan, child] = [uuidv7(), uuidv7(), uuidv7()];
  const extra = { metadata: { thread_id: 'left behind', tier: 'gold' } };
  await send(run(orphan, { parent_run_id: parent, session_name: 'orphanage', extra }));
  await send(run(child, { parent_run_id: orphan }));
  expect(await promote(60_000)).toBe(0);
  expect(await read(orphan)).toMatchObject({ parent_run_id: parent });
  expect(await promote(0)).toBe(1);
  expect(await promote(0)).toBe(0);
  const promoted = await read(orphan);
  expect(promoted).toMatchObject({
    trace_id: orphan,
    parent_run_id: null,
    child_run_ids: [child],
    extra: { metadata: { tier: 'gold', orphan_of: parent } },
  });
  const session = String(promoted['session_id']);
  const roots = await fixture()
    .client()
    .queryRuns({ body: { session: [session], is_root: true } });
  expect(roots.runs.map(({ id }) => id)).toEqual([orphan]);
  const marked = { session: [session], filter: `eq(metadata_key, "orphan_of")` };
  expect((await fixture().client().queryRuns({ body: marked })).runs.map(({ id }) => id)).toEqual([orphan]);
  expect(await read(child)).toMatchObject({
    session_id: session,
    thread_id: 'left behind',
    trace_id: orphan,
  });
  // A further part of the orphan does not make it a child again.
  await fixture().send(`/runs/${orphan}`, {
    method: 'PATCH',
    body: JSON.stringify({ outputs: { late: true }, parent_run_id: parent }),
  });
  expect(await read(orphan)).toMatchObject({ parent_run_id: null, outputs: { late: true } });
  await send(run(parent, { session_name: 'orphanage', start_time: '2026-01-05T10:20:29Z' }));
  const found = await read(orphan);
  expect(found).toMatchObject({ trace_id: parent, parent_run_id: parent, parent_run_ids: [parent] });
  expect(found.extra['metadata']).not.toHaveProperty('orphan_of');
  expect((await read(child))['parent_run_ids']).toEqual([parent, orphan]);
  expect(
    (
      await fixture()
        .client()
        .queryRuns({ body: { session: [session], is_root: true } })
    ).runs,
  ).toMatchObject([{ id: parent, child_run_ids: null }]);
  expect((await fixture().client().queryRuns({ body: marked })).runs).toEqual([]);
});

it('when runs wait for their parents, then the loop finds their workspaces', async () => {
  const [parent, orphan] = [uuidv7(), uuidv7()];
  await send(run(orphan, { parent_run_id: parent }));
  await using loop = orphanLoop(fixture().fresh.db, silentLog, { grace_ms: 0, resync_ms: 10 }).start();
  loop.wake(WORKSPACE);
  await expect.poll(async () => (await read(orphan))['parent_run_id']).toBeNull();
});
