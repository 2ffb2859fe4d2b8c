import { createLog, uuidv7 } from '@roadstead/kit';
import { expect, it } from 'vitest';
import { startFixture, WORKSPACE } from '../testing/observability-fixture.ts';
import { lockDigest, noteChanges } from '../records/change-store.ts';
import { startDigest } from './digest-loop.ts';
import { digestSome } from './digest-step-work.ts';
import type { DigestedRun } from './digest-work.ts';

const quiet = createLog({ level: 'error', write: () => undefined });

async function startWithRuns(count: number, inputs: object = {}) {
  const lines: string[] = [];
  const log = createLog({ level: 'error', write: (line) => lines.push(line) });
  const fixture = await startFixture({ log });
  const ids = Array.from({ length: count }, () => uuidv7());
  const now = new Date(Date.now() + 1000).toISOString();
  const post = ids.map((id) => ({
    id,
    name: 'one of several',
    run_type: 'chain',
    session_name: 'p',
    start_time: now,
    end_time: now,
    inputs,
  }));
  const send = async () => fixture.send('/runs/batch', { method: 'POST', body: JSON.stringify({ post }) });
  return { fixture, ids, lines, send, [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose]() };
}

it('when one run can’t be digested, then it is set aside and tried again, and the others go on', async () => {
  await using started = await startWithRuns(20);
  const { fixture, ids, lines, send } = started;
  const { db } = fixture.fresh;
  const bad = ids[7];
  await db.run(`alter table traces.rule_runs add constraint poison check (run_id <> '${bad}')`);
  await fixture.client().createSession({ body: { name: 'p' } });
  const [session] = await fixture.client().listSessions({ query: { name: 'p' } });
  const body = JSON.stringify({
    display_name: 'every',
    session_id: session?.id,
    sampling_rate: 1,
    extend_only: true,
  });
  const made = await fixture.send('/runs/rules', { method: 'POST', body });
  expect([made.status, await made.clone().text()]).toEqual([200, expect.anything()]);
  expect((await send()).status).toBe(202);

  const decided = async () =>
    (await db.query<{ run_id: string }>('select run_id from traces.rule_runs')).map((row) => row.run_id);
  await expect
    .poll(async () => (await decided()).toSorted())
    .toEqual(ids.filter((id) => id !== bad).toSorted());
  const found = await fixture.client().listSessions({ query: { name: 'p', include_stats: 'true' } });
  expect(found[0]?.run_count).toBe(20);
  expect(await db.query('select from traces.changes')).toEqual([]);
  expect(await db.query('select run_id, attempts, reason from traces.undigested')).toEqual([
    { run_id: bad, attempts: 1, reason: '23514' },
  ]);
  const told = lines.filter((line) => line.includes('run cannot be digested'));
  expect([told.length, told[0]]).toEqual([1, expect.stringContaining(bad ?? '')]);
  await expect
    .poll(() => fixture.service.warnings())
    .toEqual(['Runs that could not be digested: 1. The log shows why; they are tried again.']);

  const due = async () => {
    await db.run(`update traces.undigested set due_at = now() - interval '1 s'`);
    const run = { id: uuidv7(), name: 'another', run_type: 'chain', session_name: 'other' };
    await fixture.send('/runs', { method: 'POST', body: JSON.stringify(run) });
  };
  await due();
  await expect
    .poll(() => db.query('select attempts from traces.undigested where due_at > now()'))
    .toEqual([{ attempts: 2 }]);
  await db.run('alter table traces.rule_runs drop constraint poison');
  await due();
  await expect.poll(() => db.query('select from traces.undigested')).toEqual([]);
  expect(await decided()).toContain(bad);
});

it('when a failure passes, then the step is undone and taken again, and nothing is set aside', async () => {
  await using started = await startWithRuns(3);
  const { db } = started.fixture.fresh;
  await started.send();
  const away = Object.assign(new Error('away'), { code: '57P01' });
  let calls = 0;
  await using digest = startDigest({
    db,
    log: quiet,
    onDigested: async () => {
      calls += 1;
      if (calls === 1) throw away;
    },
  });
  const place = await db.query<{ run_id: string; tier: string; week: string }>(
    'select run_id, tier, week from traces.runs',
  );
  await db.transaction((tx) =>
    noteChanges(
      tx,
      place.map((run) => ({ ...run, workspace_id: WORKSPACE })),
    ),
  );
  digest.wake(WORKSPACE);
  await expect.poll(() => db.query('select from traces.changes')).toEqual([]);
  expect(await db.query('select from traces.undigested')).toEqual([]);
});

it('when payloads are large, then a step holds no more of them in memory than it must', async () => {
  const words = Array.from({ length: 60_000 }, (_, index) => `word${index}`).join(' ');
  await using started = await startWithRuns(10, { texts: Array.from({ length: 3 }, () => words) });
  const { fixture, ids } = started;
  const { db } = fixture.fresh;
  const portions: string[][] = [];
  await db.transaction(async (tx) => {
    const locked = await lockDigest(tx, WORKSPACE);
    expect((await started.send()).status).toBe(202);
    const onDigested = async (_: unknown, runs: readonly DigestedRun[]) => {
      portions.push(runs.map(({ row }) => row.run_id));
    };
    while (await digestSome(locked, { workspace_id: WORKSPACE, onDigested, log: quiet }));
  });
  expect(portions.flat().toSorted()).toEqual(ids.toSorted());
  expect(Math.max(...portions.map((portion) => portion.length))).toBeLessThanOrEqual(4);
});
