import { randomBytes } from 'node:crypto';
import { uuidv7 } from '@roadstead/kit';
import { expect, test } from 'vitest';
import {
  type Fixture,
  multipartInit,
  OTHER_WORKSPACE,
  startFixture,
  WORKSPACE,
} from '../testing/observability-fixture.ts';
import { bytesByWorkspace, daysBetween, monthOf } from './usage-rules.ts';

const JANUARY = Date.parse('2026-01-20T12:00:00Z');

const run = (more: object = {}) => {
  const id = uuidv7();
  return {
    id,
    trace_id: id,
    dotted_order: `20260120T120000000000Z${id}`,
    name: 'run',
    run_type: 'chain',
    ...more,
  };
};
async function send(fixture: Fixture, runs: readonly object[], workspace_id = WORKSPACE) {
  const body = JSON.stringify({ post: runs });
  const answer = await fixture.send('/runs/batch', { method: 'POST', body, workspace_id });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}
const read = async (fixture: Fixture, path: string, workspace_id = WORKSPACE) =>
  (await fixture.send(path, { workspace_id })).json();
const put = (fixture: Fixture, path: string, body: object) =>
  fixture.send(path, { method: 'PUT', body: JSON.stringify(body) });
const usage = (fixture: Fixture, from: string, before: string) =>
  read(fixture, `/orgs/current/billing/usage?starting_on=${from}&ending_before=${before}`);

test('when a trace is sent, then it counts once, by day and project, also after it is deleted', async () => {
  let now = JANUARY;
  await using fixture = await startFixture({ clock: { now: () => now } });
  const long = await fixture.client().createSession({ body: { name: 'long', trace_tier: 'longlived' } });
  const first = run({ session_name: 'short' });
  const child = {
    ...run(),
    trace_id: first.id,
    parent_run_id: first.id,
    dotted_order: `${first.dotted_order}.20260120T120000000001Z${uuidv7()}`,
  };
  await send(fixture, [first, { ...child, id: child.dotted_order.slice(-36), session_name: 'short' }]);
  await send(fixture, [first]);
  await send(fixture, [run({ session_name: 'long' }), run({ session_name: 'long' })]);
  await send(fixture, [run()], OTHER_WORKSPACE);
  now += 86_400_000;
  await send(fixture, [run({ session_name: 'short' })]);
  const days = await usage(fixture, '2026-01-01', '2026-02-01T00:00:00Z');
  const seen = (days as Record<string, unknown>[]).map((one) => [
    one['billable_metric_name'],
    String(one['start_timestamp']).slice(0, 10),
    one['value'],
    one['groups'],
  ]);
  const [base, extended] = [
    'LangSmith Traces (Base Charge)',
    'LangSmith Traces (Extended Data Retention Upgrades)',
  ];
  expect(seen).toEqual([
    [base, '2026-01-20', 3, { [WORKSPACE]: 3 }],
    [base, '2026-01-21', 1, { [WORKSPACE]: 1 }],
    [extended, '2026-01-20', 2, { [WORKSPACE]: 2 }],
    [extended, '2026-01-21', 0, { [WORKSPACE]: 0 }],
  ]);
  expect(await usage(fixture, '2026-01-21T00:00:00Z', '2026-01-22T00:00:00Z')).toHaveLength(2);
  await fixture.send(`/sessions/${long.id}`, { method: 'DELETE' });
  const granular = `?start_time=2026-01-20T00:00:00&end_time=2026-01-22T00:00:00Z&workspace_ids=${WORKSPACE}`;
  const at = `/orgs/current/billing/granular-usage`;
  const { stride, usage: byProject } = (await read(fixture, `${at}${granular}&group_by=project`)) as {
    stride: object;
    usage: { time_bucket: string; dimensions: Record<string, string>; traces: number }[];
  };
  expect(stride).toEqual({ days: 1, hours: 0 });
  const rows = byProject.map((one) => [
    one.time_bucket.slice(0, 10),
    one.dimensions['project_name'],
    one.traces,
  ]);
  expect(rows).toHaveLength(3);
  expect(rows).toEqual(
    expect.arrayContaining([
      ['2026-01-20', 'short', 1],
      ['2026-01-20', null, 2],
      ['2026-01-21', 'short', 1],
    ]),
  );
  expect(await read(fixture, `${at}${granular}&group_by=workspace`)).toMatchObject({
    usage: [{ traces: 3, dimensions: { workspace_id: WORKSPACE, workspace_name: 'default' } }, { traces: 1 }],
  });
  expect(await read(fixture, `${at}${granular}`, OTHER_WORKSPACE)).toMatchObject({ usage: [] });
  const csv = await (await fixture.send(`${at}/export${granular}&group_by=project`)).text();
  expect(csv.split('\r\n')).toHaveLength(5);
  expect(csv).toContain('short');
});

test('when a run came before its parent, then it is no trace of its own in the end', async () => {
  await using fixture = await startFixture({ clock: { now: () => JANUARY } });
  const root = run();
  const child = { id: uuidv7(), parent_run_id: root.id, name: 'child', run_type: 'tool' };
  await send(fixture, [child]);
  await send(fixture, [root]);
  expect(await usage(fixture, '2026-01-01', '2026-02-01')).toMatchObject([{ value: 1 }, { value: 0 }]);
});

test('when a trace is moved to the long-lived ones, then it is counted among them', async () => {
  await using fixture = await startFixture({ clock: { now: () => JANUARY } });
  const root = run();
  await send(fixture, [root]);
  await fixture.fresh.db.run(`update traces.traces set tier = 'longlived'`);
  expect(await usage(fixture, '2026-01-01', '2026-02-01')).toMatchObject([{ value: 1 }, { value: 1 }]);
});

test('when the traces of a month are used up, then none begins, but what has begun goes on', async () => {
  let now = JANUARY;
  await using fixture = await startFixture({ clock: { now: () => now } });
  const limit = await put(fixture, '/usage-limits', { limit_type: 'monthly_traces', limit_value: 2 });
  const { id } = (await limit.json()) as { id: string };
  const first = run();
  expect((await send(fixture, [first])).status).toBe(202);
  expect(await read(fixture, '/workspaces/current/usage_limits')).toEqual({
    in_reject_set: false,
    usage_limit_type: null,
    tenant_limit: 2,
  });
  expect((await send(fixture, [run()])).status).toBe(202);
  const refused = await send(fixture, [run()]);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
  expect(refused.text).toContain('Monthly unique traces usage limit exceeded');
  expect(await read(fixture, '/workspaces/current/usage_limits')).toMatchObject({ in_reject_set: true });
  const patch = { method: 'PATCH', body: '{"outputs":{"a":1}}' };
  expect((await fixture.send(`/runs/${first.id}`, patch)).status).toBe(202);
  const child = {
    id: uuidv7(),
    trace_id: first.id,
    parent_run_id: first.id,
    name: 'child',
    run_type: 'tool',
  };
  expect((await send(fixture, [child])).status).toBe(202);
  expect((await send(fixture, [run()], OTHER_WORKSPACE)).status).toBe(202);
  now = Date.parse('2026-02-01T00:00:00Z');
  expect((await send(fixture, [run()])).status).toBe(202);
  now = JANUARY;
  expect((await fixture.send(`/usage-limits/${id}`, { method: 'DELETE' })).status).toBe(200);
  expect((await fixture.send(`/usage-limits/${id}`, { method: 'DELETE' })).status).toBe(404);
  expect((await send(fixture, [run()])).status).toBe(202);
});

test('when the operator sets a limit, then it holds for every workspace above its own limit', async () => {
  await using fixture = await startFixture({ clock: { now: () => JANUARY }, monthly_traces: 1 });
  await put(fixture, '/usage-limits', { limit_type: 'monthly_traces', limit_value: 100 });
  expect((await send(fixture, [run()])).status).toBe(202);
  expect((await send(fixture, [run()])).status).toBe(429);
  expect((await send(fixture, [run()], OTHER_WORKSPACE)).status).toBe(202);
});

test('when the bytes of a month are used up, then no trace begins, but what has begun goes on', async () => {
  let now = JANUARY;
  await using fixture = await startFixture({ clock: { now: () => now }, monthly_bytes: 40_000 });
  const noise = () => randomBytes(7500).toString('base64');
  await put(fixture, '/usage-limits', { limit_type: 'monthly_bytes', limit_value: 1_000_000_000_000 });
  const first = run({ inputs: { noise: noise() } });
  expect((await send(fixture, [first])).status).toBe(202);
  const patch = { method: 'PATCH', body: JSON.stringify({ outputs: { noise: noise() } }) };
  expect((await fixture.send(`/runs/${first.id}`, patch)).status).toBe(202);
  const { trace_id, dotted_order, ...second } = run();
  const parts = [
    [`post.${second.id}`, JSON.stringify({ ...second, trace_id, dotted_order })],
    [`attachment.${second.id}.file`, randomBytes(30_000), 'Content-Type: image/png'],
  ] as const;
  expect((await fixture.send('/runs/multipart', multipartInit(parts))).status).toBe(202);
  const refused = await send(fixture, [run()]);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
  expect(refused.text).toContain('40000 bytes a month');
  expect(await read(fixture, '/workspaces/current/usage_limits')).toEqual({
    in_reject_set: true,
    usage_limit_type: 'monthly_bytes',
    tenant_limit: 40_000,
  });
  expect((await fixture.send(`/runs/${first.id}`, patch)).status).toBe(202);
  expect((await send(fixture, [run()], OTHER_WORKSPACE)).status).toBe(202);
  now = Date.parse('2026-02-01T00:00:00Z');
  expect((await send(fixture, [run()])).status).toBe(202);
});

test('when a request brings bytes, then they are added up for each workspace', () => {
  const bytes_sent = ['b', 'a', 'b', 'c'].map((workspace_id, bytes) => ({ workspace_id, bytes }));
  expect(bytesByWorkspace(bytes_sent)).toEqual([
    { workspace_id: 'a', bytes: 1 },
    { workspace_id: 'b', bytes: 2 },
    { workspace_id: 'c', bytes: 3 },
  ]);
});

test('when long-lived traces exceed their limit, then they are kept for the shorter time', async () => {
  await using fixture = await startFixture({ clock: { now: () => JANUARY } });
  await fixture.client().createSession({ body: { name: 'long', trace_tier: 'longlived' } });
  await put(fixture, '/usage-limits', { limit_type: 'monthly_longlived_traces', limit_value: 1 });
  for (let count = 0; count < 3; count += 1) await send(fixture, [run({ session_name: 'long' })]);
  const tiers = await fixture.fresh.db.query('select tier from traces.traces order by received_at, trace_id');
  expect(tiers.map(({ tier }) => tier).filter((tier) => tier === 'longlived')).toEqual(['longlived']);
  expect(tiers).toHaveLength(3);
});

test.each([
  ['2026-01-01', '2026-02-01', '2026-01-01', '2026-02-01'],
  ['2026-01-01T10:00:00Z', '2026-01-02T00:00:01Z', '2026-01-01', '2026-01-03'],
  ['2026-01-01T23:30:00-02:00', '2026-01-03T00:00:00', '2026-01-02', '2026-01-03'],
])('when a period is from %s before %s, then its days are from %s before %s', (from, before, first, end) => {
  expect(daysBetween(from, before)).toEqual({ from: first, before: end });
});

test.each([
  ['2026-01-31T23:59:59Z', '2026-01-01', '2026-02-01'],
  ['2026-12-01T00:00:00Z', '2026-12-01', '2027-01-01'],
])('when it is %s, then the month is the one around that', (now, from, before) => {
  expect(monthOf(Date.parse(now))).toEqual({ from, before });
});
