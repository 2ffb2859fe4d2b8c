import { silentLog, uuidv7 } from '@roadstead/kit';
import { expect, it } from 'vitest';
import { type Fixture, multipartInit, startFixture } from '../testing/observability-fixture.ts';
import { ensurePartition, listPartitions } from '../partitions/partition-store.ts';
import { keepPartitions } from './retention-loop.ts';
import { DAY_MS, isExpired, tableOf, weekOf } from '../partitions/week-rules.ts';

it.each([
  ['2026-01-05T00:00:00Z', '2026-01-05'],
  ['2026-01-11T23:59:59Z', '2026-01-05'],
  ['2026-01-12T00:00:00Z', '2026-01-12'],
  ['1970-01-01T00:00:00Z', '1969-12-29'],
])('when an instant is %s, then it lies in the week of %s', (instant, week) => {
  expect(weekOf(Date.parse(instant))).toBe(week);
});

it.each([
  ['shortlived', '2026-01-25T23:59:59Z', false],
  ['shortlived', '2026-01-26T00:00:00Z', true],
  ['longlived', '2027-02-15T23:59:59Z', false],
  ['longlived', '2027-02-16T00:00:00Z', true],
] as const)(
  'when a %s week of 2026-01-05 is looked at on %s, then that it is over is %s',
  (tier, instant, expired) => {
    expect(isExpired({ tier, week: '2026-01-05' }, Date.parse(instant))).toBe(expired);
  },
);

async function send(
  fixture: Fixture,
  run_id: string,
  session_name: string,
  metadata: object = {},
): Promise<number> {
  const run = {
    id: run_id,
    trace_id: run_id,
    dotted_order: `x${run_id}`,
    name: 'run',
    session_name,
    extra: { metadata },
  };
  const response = await fixture.send(
    '/runs/multipart',
    multipartInit([
      [`post.${run_id}`, JSON.stringify(run)],
      [`post.${run_id}.inputs`, '{"a":1}'],
      [`attachment.${run_id}.file`, 'bytes'],
    ]),
  );
  return response.status;
}
const statusOf = async (fixture: Fixture, id: string) => (await fixture.send(`/runs/${id}`)).status;

it('when the time of a week is over by its tier, then all of it goes, and the rest is left', async () => {
  let now = Date.parse('2026-01-07T12:00:00Z');
  await using fixture = await startFixture({ clock: { now: () => now } });
  const { db } = fixture.fresh;
  await fixture.client().createSession({ body: { name: 'kept long', trace_tier: 'longlived' } });
  const [old, long, young] = [uuidv7(), uuidv7(), uuidv7()];
  await send(fixture, old, 'short');
  await send(fixture, long, 'kept long');
  now += 14 * DAY_MS;
  await send(fixture, young, 'short');
  // A late part of an old trace goes to where the trace is.
  await fixture.send(`/runs/${old}`, { method: 'PATCH', body: '{"outputs":{"late":true}}' });
  const [{ count }] = (await db.query('select count(*) from traces.runs_shortlived_20260105')) as [
    { count: number },
  ];
  expect(count).toBe(1);
  await keepPartitions(db, now, silentLog);
  expect(await statusOf(fixture, old)).toBe(200);
  for (const run_id of [old, young]) await fixture.client().shareRun({ params: { run_id } });
  now += 6 * DAY_MS;
  await keepPartitions(db, now, silentLog);
  expect([
    await statusOf(fixture, old),
    await statusOf(fixture, long),
    await statusOf(fixture, young),
  ]).toEqual([404, 200, 200]);
  expect(await db.query(`select to_regclass('traces.payloads_shortlived_20260105') as table`)).toEqual([
    { table: null },
  ]);
  expect(await db.query('select trace_id from traces.traces where trace_id = $1', [old])).toEqual([]);
  expect(await db.query('select subject_id from traces.shares')).toEqual([{ subject_id: young }]);
  expect(await db.query('select run_id from traces.attachments order by run_id')).toEqual(
    [long, young].sort().map((run_id) => ({ run_id })),
  );
  // A run that comes again after that begins a new trace.
  expect(await send(fixture, old, 'short')).toBe(202);
  expect(await statusOf(fixture, old)).toBe(200);
});

it('when a thread has no turn left, then its links and its queue entries are removed', async () => {
  let now = Date.parse('2026-01-07T12:00:00Z');
  await using fixture = await startFixture({ clock: { now: () => now } });
  const { db } = fixture.fresh;
  const client = fixture.client();
  const { id: queue_id } = await client.createAnnotationQueue({ body: { name: 'q' } });
  for (const trace_tier of ['shortlived', 'longlived'] as const) {
    const { id: project_id } = await client.createSession({ body: { name: trace_tier, trace_tier } });
    const thread_id = `of the ${trace_tier}`;
    await send(fixture, uuidv7(), trace_tier, { thread_id });
    await client.shareThread({ params: { thread_id }, body: { project_id } });
    const item = { item_type: 'THREAD', thread_id, project_id } as const;
    await client.addQueueItems({ params: { queue_id }, query: {}, body: { items: [item] } });
  }
  // The database sets the time, and its clock shows today.
  await db.run('update traces.shares set created_at = $1', [new Date(now).toISOString()]);
  now += 20 * DAY_MS;
  await keepPartitions(db, now, silentLog);
  for (const table of ['shares', 'annotation_queue_items'])
    expect(await db.query(`select thread_id from traces.${table}`)).toEqual([
      { thread_id: 'of the longlived' },
    ]);
});

it('when partitions are made ahead, twice and at once, then each is there once', async () => {
  await using fixture = await startFixture({ clock: { now: () => Date.parse('2026-01-07T12:00:00Z') } });
  const { db } = fixture.fresh;
  const key = { tier: 'shortlived', week: '2026-03-02' };
  await Promise.all(Array.from({ length: 6 }, () => ensurePartition(db, key)));
  const weeks = (await listPartitions(db)).map((one) => tableOf('runs', one));
  expect(weeks).toEqual([
    'runs_shortlived_20260302',
    'runs_longlived_20260112',
    'runs_shortlived_20260112',
    'runs_longlived_20260105',
    'runs_shortlived_20260105',
  ]);
  await expect(ensurePartition(db, { tier: 'x; drop table', week: '2026-03-02' })).rejects.toThrow(
    /No partition/,
  );
});
