import { silentLog, uuidv7 } from '@roadstead/kit';
import { expect, test } from 'vitest';
import { keepPartitions } from '../deletions/retention-loop.ts';
import { DAY_MS } from '../partitions/week-rules.ts';
import { type Fixture, OTHER_WORKSPACE, startFixture, WORKSPACE } from '../testing/observability-fixture.ts';

async function trace(fixture: Fixture, session_name: string, workspace_id = WORKSPACE): Promise<string> {
  const id = uuidv7();
  const run = { id, trace_id: id, dotted_order: `x${id}`, name: 'run', run_type: 'chain', session_name };
  const answer = await fixture.send('/runs', { method: 'POST', body: JSON.stringify(run), workspace_id });
  expect(answer.status).toBe(202);
  return id;
}
const put = async (fixture: Fixture, path: string, body: object) => {
  const answer = await fixture.send(path, { method: 'PUT', body: JSON.stringify(body) });
  expect(answer.status).toBe(200);
  return answer.json();
};
const get = async (fixture: Fixture, path: string) => (await fixture.send(path)).json();
const tierOf = async ({ fresh }: Fixture, trace_id: string) =>
  (await fresh.db.one<{ tier: string }>('select tier from traces.traces where trace_id = $1', [trace_id]))
    .tier;

test('when a project says no tier, then it has the one that its workspace chose', async () => {
  await using fixture = await startFixture();
  await fixture.client().createSession({ body: { name: 'says short', trace_tier: 'shortlived' } });
  const before = await trace(fixture, 'any');
  expect(await get(fixture, '/ttl-settings')).toMatchObject([
    { default_trace_tier: 'shortlived', configured_by: 'system', longlived_ttl_days: 400 },
  ]);
  const settings = { default_trace_tier: 'longlived' };
  expect(await put(fixture, '/ttl-settings', settings)).toMatchObject({
    ...settings,
    tenant_id: WORKSPACE,
    configured_by: 'user',
    apply_to_all_projects: false,
  });
  expect(await get(fixture, '/orgs/ttl-settings')).toMatchObject([settings]);
  const [after, said] = [await trace(fixture, 'any'), await trace(fixture, 'says short')];
  expect(await tierOf(fixture, before)).toBe('shortlived');
  expect(await tierOf(fixture, after)).toBe('longlived');
  expect(await tierOf(fixture, said)).toBe('shortlived');
  await put(fixture, '/orgs/ttl-settings', { ...settings, apply_to_all_projects: true });
  expect(await tierOf(fixture, await trace(fixture, 'says short'))).toBe('longlived');
  expect(await tierOf(fixture, await trace(fixture, 'any', OTHER_WORKSPACE))).toBe('shortlived');
});

test('when a workspace sets a time, then its long-lived traces go then, and those of others stay', async () => {
  let now = Date.parse('2026-01-07T12:00:00Z');
  await using fixture = await startFixture({ clock: { now: () => now } });
  for (const workspace_id of [WORKSPACE, OTHER_WORKSPACE])
    await fixture.client(workspace_id).createSession({ body: { name: 'long', trace_tier: 'longlived' } });
  const [ours, theirs] = [await trace(fixture, 'long'), await trace(fixture, 'long', OTHER_WORKSPACE)];
  const settings = '/workspaces/current/ttl-settings';
  expect(await get(fixture, settings)).toMatchObject({ longlived_ttl_days: 400, is_custom: false });
  expect(await put(fixture, settings, { longlived_ttl_days: 30 })).toMatchObject({ is_custom: true });
  expect((await fixture.send(settings, { method: 'PUT', body: '{"longlived_ttl_days":31}' })).status).toBe(
    422,
  );
  const status = async (id: string, workspace_id = WORKSPACE) =>
    (await fixture.send(`/runs/${id}`, { workspace_id })).status;
  // Its week ends on the 12th.
  now = Date.parse('2026-01-12T00:00:00Z') + 30 * DAY_MS - 1;
  await keepPartitions(fixture.fresh.db, now, silentLog);
  expect(await status(ours)).toBe(200);
  now += 1;
  await keepPartitions(fixture.fresh.db, now, silentLog);
  expect(await status(ours)).toBe(404);
  expect(await status(theirs, OTHER_WORKSPACE)).toBe(200);
  const left = async () =>
    (await fixture.fresh.db.query('select from traces.payloads where run_id = $1', [ours])).length;
  await expect.poll(left).toBe(0);
  // Nothing is recorded of a pass that finds nothing.
  const deletions = async () => fixture.fresh.db.query('select from traces.deletions');
  expect(await deletions()).toHaveLength(1);
  await keepPartitions(fixture.fresh.db, now, silentLog);
  expect(await deletions()).toHaveLength(1);
});
