import { expect, test } from 'vitest';
import { silentLog, uuidv7 } from '@roadstead/kit';
import { engineDatabase } from '../testing/engine-database.ts';
import { openTestEngine } from '../testing/test-engine.ts';
import type { Engine } from './engine.ts';
import { LostRuns } from './lost-runs.ts';
import { Suspicions } from './suspicions.ts';
import { takeEpoch } from '../runs/run-store.ts';
import { fresh, manifest, never, runOf, useGatedRuns } from '../testing/gated-runs.ts';

const { stack, gated, opened } = useGatedRuns();

test('when runs wait for their time, then those that come now are taken, after a restart too', async () => {
  const { script, open } = gated();
  const database = stack().use(await engineDatabase()).db;
  const limits = { messages: 2, bytes: 1000 };
  const open_ = async () => {
    const { engine } = await openTestEngine(database, script, { limits });
    engine.activate(uuidv7(), manifest);
    return engine;
  };
  const first = await open_();
  const thread = fresh();
  const later: string[] = [];
  for (const name of ['a', 'b', 'c'])
    later.push((await first.create(runOf(name, fresh(), { after_ms: 3_600_000 }))).run_id);
  later.push((await first.create(runOf('d', thread, { after_ms: 3_600_000 }))).run_id);
  expect(first.unfinished(thread.thread_id)).toEqual(later.slice(-1));
  await first[Symbol.asyncDispose]();
  const engine = stack().use(await open_());
  open('now');
  const { run_id } = await engine.create(runOf('now', fresh()));
  expect((await engine.ended(run_id, never)).end.status).toBe('success');
  expect(engine.unfinished(thread.thread_id)).toEqual(later.slice(-1));
  for (const one of later) expect(await engine.cancel(one, { action: 'interrupt', reason: '' })).toBe(true);
  expect(engine.unfinished(thread.thread_id)).toEqual([]);
});

test('when an engine ends, then runs cancelled, put off or under way are so for the next one', async () => {
  const first = gated();
  const { engine: old, db } = await opened(first.script);
  const under_way = await old.create(runOf('one', fresh()));
  const put_off = await old.create(runOf('later', fresh(), { after_ms: 400 }));
  const cancelled = await old.create(runOf('two', fresh()));
  await expect.poll(() => first.began.length).toBe(2);
  // As of an engine that is killed after it said yes.
  await db.run(
    `update runs set cancel = '{"action": "interrupt", "reason": "Asked for."}' where run_id = $1`,
    [cancelled.run_id],
  );
  const next = gated();
  next.open('one');
  next.open('later');
  const { engine } = await opened(next.script, db);
  const end = async ({ run_id }: { run_id: string }) => (await engine.ended(run_id, never)).end;
  expect(await end(cancelled)).toMatchObject({ status: 'interrupted', reason: 'Asked for.' });
  expect((await end(under_way)).status).toBe('success');
  expect((await end(put_off)).status).toBe('success');
  expect(next.began).not.toContain('two');
});

test('when an engine is replaced, then it begins, cancels and ends no run', async () => {
  const { script, open } = gated();
  const { engine: old, db } = await opened(script);
  const run = await old.create(runOf('one', fresh()));
  const next = gated();
  const { engine } = await opened(next.script, db);
  await expect(old.create(runOf('two', fresh()))).rejects.toThrow('taken this deployment over');
  const cancel = { action: 'interrupt', reason: 'Too late.' } as const;
  await expect(old.cancel(run.run_id, cancel)).rejects.toThrow('taken this deployment over');
  open('one');
  await expect.poll(async () => (await engine.find(run.run_id))?.attempt).toBe(2);
  next.open('one');
  expect((await engine.ended(run.run_id, never)).end.status).toBe('success');
});

const refusals = {
  'a refused beginning': (old: Engine) => old.create(runOf('new', fresh())).catch(() => undefined),
  'a look while it is read': async () => undefined,
};
test.each(Object.entries(refusals))(
  'when an engine notices by %s that it is replaced, then it leaves its queue and its hosts',
  async (_how, refused) => {
    const { script, began, open } = gated();
    const said: string[] = [];
    const log = { ...silentLog, warn: (message: string) => void said.push(message) };
    const { engine: old, db } = await opened(script, undefined, { log, look_ms: 50 });
    const thread = fresh();
    const first = await old.create(runOf('one', thread));
    await old.create(runOf('two', { thread_id: thread.thread_id }));
    const later = await old.create(runOf('later', fresh(), { after_ms: 60_000 }));
    const reader = Array.fromAsync(old.events(first.run_id, { after_seq: 0, signal: never }));
    const waiting = old.ended(first.run_id, never).catch((error: Error) => error.message);
    await expect.poll(() => began).toEqual(['one']);

    await takeEpoch(db);
    await refused(old);
    expect((await reader).map(({ kind }) => kind)).not.toContain('end');
    expect(await waiting).toContain('the run is kept');
    await expect.poll(() => old.unfinished(thread.thread_id)).toEqual([]);
    open('one');
    expect(old.live(later.run_id)).toBeUndefined();
    expect(began).toEqual(['one']);
    expect(said).toEqual(['another engine has taken the deployment over; this one drives no more runs']);
    const rows = await db.query('select attempt, ended_at from runs');
    expect(rows).toEqual(Array.from({ length: 3 }, () => ({ attempt: 1, ended_at: null })));
  },
);

test('when a run waits behind another of its thread, then it does so after a restart, at no cost', async () => {
  const { script, began } = gated();
  const { engine: old, db } = await opened(script);
  const thread = fresh();
  const first = await old.create(runOf('one', thread, { chunks: true }));
  const second = await old.create(runOf('two', { thread_id: thread.thread_id }, { chunks: true }));
  await expect.poll(() => began).toEqual(['one']);
  const next = gated();
  const { engine } = await opened(next.script, db);
  await expect.poll(() => next.began).toEqual(['one']);
  const statusOf = async ({ run_id }: { run_id: string }) => (await engine.find(run_id))?.status;
  await expect.poll(() => statusOf(first)).toBe('running');
  expect(await engine.find(second.run_id)).toMatchObject({ status: 'pending', attempt: 1 });
  next.open('one');
  next.open('two');
  expect((await engine.ended(second.run_id, never)).end.status).toBe('success');
});

test('when a delayed run waits, then it has not begun, however often the engine opens meanwhile', async () => {
  const { script } = gated();
  const { engine: old, db } = await opened(script);
  const { run_id } = await old.create(runOf('one', fresh(), { after_ms: 3_600_000 }));
  await old[Symbol.asyncDispose]();
  const { engine } = await opened(script, db);
  expect(await engine.find(run_id)).toMatchObject({ status: 'pending', attempt: 1 });
  const ended = engine.ended(run_id, never);
  await engine.cancel(run_id, { action: 'interrupt', reason: 'Asked for.' });
  expect((await ended).end.status).toBe('interrupted');
});

test('when an engine ends before runs are preempted, then the next one preempts them', async () => {
  const { script, began } = gated();
  const { engine: old, db } = await opened(script);
  const thread = fresh();
  const first = await old.create(runOf('one', thread));
  const second = await old.create(runOf('two', { thread_id: thread.thread_id }));
  await expect.poll(() => began).toEqual(['one']);
  // It was committed, and its engine ended before the other run heard of it.
  await db.run(`update runs set multitask_strategy = 'interrupt' where run_id = $1`, [second.run_id]);
  const next = gated();
  next.open('two');
  const { engine } = await opened(next.script, db);
  expect((await engine.ended(first.run_id, never)).end.status).toBe('interrupted');
  expect((await engine.ended(second.run_id, never)).end.status).toBe('success');
});

test('when a run was marked to end before it was here, then it ends once it is looked for', async () => {
  const { script, began } = gated();
  const { db } = stack().use(await engineDatabase());
  const { engine } = await opened(script, db);
  const { run_id } = await engine.create(runOf('one', fresh()));
  await expect.poll(() => began).toEqual(['one']);
  const ended = engine.ended(run_id, never);
  // Marked in the database alone, as by a call that came before the run was here.
  await db.run(`update runs set cancel = '{"action":"interrupt","reason":"Asked for."}'`);
  const suspicions = new Suspicions();
  await using _lost = new LostRuns({
    db,
    suspicions,
    intake: { isHeld: () => true, adopt: () => Promise.reject(new Error('It is held.')) },
    schedule: {
      cancel: (id, cancel) => {
        void engine.cancel(id, cancel);
        return true;
      },
    },
    log: silentLog,
  });
  suspicions.raise();
  expect((await ended).end).toMatchObject({ status: 'interrupted', reason: 'Asked for.' });
});
