import { useFixturePerTest } from '@roadstead/testing';
import { afterEach, expect, test } from 'vitest';
import type { Manifest } from '@roadstead/contracts/host';
import { assistantIdOf, silentLog, uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { engineDatabase } from '../testing/engine-database.ts';
import { openTestEngine, type Script } from '../testing/test-engine.ts';
import type { Engine } from './engine.ts';
import type { EngineOptions } from './engine-options.ts';
import { LostRuns } from './lost-runs.ts';
import { Suspicions } from './suspicions.ts';
import type { MultitaskStrategy, NewRun } from '../runs/run.ts';
import { markCancelled, takeEpoch } from '../runs/run-store.ts';

const graph = { graph_id: 'agent', description: null, channels: ['messages'], has_messages: true };
const never = new AbortController().signal;

const stack = useFixturePerTest(() => new AsyncDisposableStack());
const left: PromiseWithResolvers<void>[] = [];
// Runs that wait at a gate end before the engine closes.
afterEach(() => {
  for (const gate of left.splice(0)) gate.resolve();
});

/** Ends when it is told to, or cancelled; says its input. */
function gated() {
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const began: string[] = [];
  const gateOf = (name: string) => {
    const gate = gates.get(name) ?? Promise.withResolvers<void>();
    gates.set(name, gate);
    left.push(gate);
    return gate;
  };
  const script: Script = async ({ input }, _emit, signal) => {
    const name = String(input);
    began.push(name);
    const stopped = new Promise<'stopped'>((resolve) =>
      signal?.addEventListener('abort', () => resolve('stopped')),
    );
    const how = await Promise.race([gateOf(name).promise, stopped]);
    return how === 'stopped'
      ? { outcome: 'cancelled', reason: 'cancel' }
      : { outcome: 'success', interrupts: [], output: null, values: { said: name } };
  };
  return { script, began, open: (name: string) => gateOf(name).resolve() };
}

const manifest = { graphs: [graph], http: {}, langgraph_version: null } as unknown as Manifest;

// oxlint-disable-next-line roadstead/two-positional -- hosts, a database that is there, and the rest
async function opened(
  script: Script,
  db?: Database,
  more: Partial<EngineOptions> = {},
): Promise<{ engine: Engine; db: Database }> {
  const database = db ?? stack().use(await engineDatabase()).db;
  const { engine } = stack().use(await openTestEngine(database, script, more));
  engine.activate(uuidv7(), manifest);
  return { engine, db: database };
}

function runOf(name: string, thread: NewRun['thread'], more: Partial<NewRun> = {}): NewRun {
  return {
    thread,
    assistant_id: assistantIdOf('agent'),
    graph_id: 'agent',
    principal: 'workspace:w',
    kwargs: { input: name },
    metadata: {},
    multitask_strategy: 'enqueue',
    chunks: false,
    plain: false,
    values: true,
    ...more,
  };
}
const fresh = (): NewRun['thread'] => ({ thread_id: uuidv7(), create: { metadata: {} } });

test('when a run is created, then it makes its thread, ends with the state and can be found', async () => {
  const { script, open } = gated();
  const { engine, db } = await opened(script);
  open('one');
  const thread = fresh();
  const run = await engine.create(runOf('one', thread));
  const { end, values } = await engine.ended(run.run_id, never);
  expect([end.status, values]).toEqual(['success', { said: 'one' }]);
  expect(await engine.find(run.run_id)).toMatchObject({
    status: 'success',
    task_id: null,
    kwargs: { input: 'one' },
  });
  expect(await db.one('select status, "values", values_stale from threads')).toEqual({
    status: 'idle',
    values: { said: 'one' },
    values_stale: false,
  });
  expect((await engine.ended(run.run_id, never)).end.status).toBe('success');
});

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

test('when a run’s thread does not exist, then the run is refused', async () => {
  const { engine } = await opened(gated().script);
  await expect(engine.create(runOf('one', { thread_id: uuidv7() }))).rejects.toThrow('no such thread');
});

const outcomes: readonly (readonly [
  MultitaskStrategy,
  readonly string[],
  readonly (string | undefined)[],
])[] = [
  ['enqueue', ['success', 'success'], ['success', 'success']],
  ['interrupt', ['interrupted', 'success'], ['interrupted', 'success']],
  ['rollback', ['interrupted', 'success'], [undefined, 'success']],
];
test.each(outcomes)(
  'when two runs come, the second with %s, then both end as that strategy says',
  async (strategy, ends, kept) => {
    const { script, open, began } = gated();
    const { engine } = await opened(script);
    const thread = fresh();
    const first = await engine.create(runOf('one', thread));
    await expect.poll(() => began).toEqual(['one']);
    const again = { thread_id: thread.thread_id };
    const waiting = engine.ended(first.run_id, never);
    const second = await engine.create(runOf('two', again, { multitask_strategy: strategy }));
    expect(engine.unfinished(thread.thread_id)).toContain(second.run_id);
    open('one');
    open('two');
    const { end } = await engine.ended(second.run_id, never);
    expect([(await waiting).end.status, end.status]).toEqual(ends);
    const found = await Promise.all([first, second].map(({ run_id }) => engine.find(run_id)));
    expect(found.map((run) => run?.status)).toEqual(kept);
    expect(began).toEqual(['one', 'two']);
    expect(engine.isBusy(thread.thread_id)).toBe(false);
  },
);

test('when a second run asks to be refused, then it is, while the first is under way', async () => {
  const { script, open } = gated();
  const { engine } = await opened(script);
  const thread = fresh();
  const first = await engine.create(runOf('one', thread));
  const second = runOf('two', { thread_id: thread.thread_id }, { multitask_strategy: 'reject' });
  await expect(engine.create(second)).rejects.toMatchObject({ kind: 'conflict', code: 'thread_busy' });
  open('one');
  await engine.ended(first.run_id, never);
});

test('when runs are cancelled, waiting, delayed or under way, then each is cancelled once', async () => {
  const { script, began, open } = gated();
  const { engine } = await opened(script);
  const thread = fresh();
  const under_way = await engine.create(runOf('one', thread));
  const again = { thread_id: thread.thread_id };
  const waits = await engine.create(runOf('two', again));
  const later = await engine.create(runOf('three', again, { after_ms: 3_600_000 }));
  await expect.poll(() => began).toEqual(['one']);
  const runs = [waits, later, under_way];
  const ends = runs.map(({ run_id }) => engine.ended(run_id, never));
  for (const { run_id } of runs)
    expect(await engine.cancel(run_id, { action: 'interrupt', reason: 'Asked for.' })).toBe(true);
  expect((await Promise.all(ends)).map(({ end }) => [end.status, end.reason])).toEqual(
    runs.map(() => ['interrupted', 'Asked for.']),
  );
  for (const { run_id } of runs)
    expect(await engine.cancel(run_id, { action: 'interrupt', reason: 'Again.' })).toBe(false);
  open('four');
  const after = await engine.create(runOf('four', again));
  expect((await engine.ended(after.run_id, never)).end.status).toBe('success');
});

test('when a delayed run’s time has come, then it begins', async () => {
  const { script, open, began } = gated();
  const { engine } = await opened(script);
  open('late');
  const asked_at = Date.now();
  const run = await engine.create(runOf('late', fresh(), { after_ms: 300 }));
  expect(began).toEqual([]);
  expect((await engine.ended(run.run_id, never)).end.status).toBe('success');
  expect(Date.now() - asked_at).toBeGreaterThanOrEqual(299);
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

test('when several follow a run, then each gets its events in order, from any of them on', async () => {
  const { engine } = await opened(async ({ run_id }, emit) => {
    for (const text of ['a', 'b', 'c']) {
      emit([{ kind: 'stream', event: 'custom', ns: [], data: { text } }]);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    return { outcome: 'success', interrupts: [], output: null, values: { run_id } };
  });
  const run = await engine.create(runOf('one', fresh(), { chunks: true }));
  const follow = (after_seq: number) =>
    Array.fromAsync(engine.events(run.run_id, { after_seq, signal: never }));
  const all = await follow(0);
  expect(all.map(({ kind }) => kind)).toEqual(['started', 'stream', 'stream', 'stream', 'end']);
  expect(await follow(0)).toEqual(all);
  expect(await follow(all[2]?.seq ?? 0)).toEqual(all.slice(3));
});

test('when a rollback is cut short before the removal, then the next engine removes the run', async () => {
  const first = gated();
  const { engine: old, db } = await opened(first.script);
  first.open('kept');
  const thread = fresh();
  const kept = await old.create(runOf('kept', thread));
  await old.ended(kept.run_id, never);
  first.open('gone');
  const gone = await old.create(runOf('gone', { thread_id: thread.thread_id }));
  await old.ended(gone.run_id, never);
  await old[Symbol.asyncDispose]();
  const metadata = (run_id: string) => JSON.stringify({ run_id });
  await db.run(
    `insert into checkpoints (thread_id, checkpoint_id, checkpoint, metadata)
     values ($1, 'a', '{}', $2::text::jsonb), ($1, 'b', '{}', $3::text::jsonb)`,
    [thread.thread_id, metadata(kept.run_id), metadata(gone.run_id)],
  );
  await db.run(`update runs set cancel = '{"action":"rollback","reason":"Asked for."}' where run_id = $1`, [
    gone.run_id,
  ]);

  const { engine } = await opened(first.script, db);
  expect((await engine.find(kept.run_id))?.status).toBe('success');
  expect(await engine.find(gone.run_id)).toBeUndefined();
  expect(await db.query('select checkpoint_id from checkpoints')).toEqual([{ checkpoint_id: 'a' }]);
  expect(await db.query('select from run_events where run_id = $1', [gone.run_id])).toEqual([]);
});

test.each(['cancelled', 'ended by itself'] as const)(
  'when a run is rolled back, %s, then its thread is as it was, and nothing it wrote is left',
  async (how) => {
    const { script, open, began } = gated();
    const { engine, db } = await opened(script);
    const thread_id = uuidv7();
    const question = [{ id: 'q', value: 'Sure?', task_id: 't' }];
    await db.run(
      `insert into threads (thread_id, graph_id, status, interrupts, "values", values_stale, has_checkpoint)
       values ($1, 'agent', 'interrupted', $2::text::jsonb, '{"n":1}', false, true)`,
      [thread_id, JSON.stringify(question)],
    );
    const checkpoint = (id: string, versions: object, metadata: object) =>
      db.run(
        `insert into checkpoints (thread_id, checkpoint_id, checkpoint, metadata)
         values ($1, $2, jsonb_build_object('channel_versions', $3::text::jsonb), $4::text::jsonb)`,
        [thread_id, id, JSON.stringify(versions), JSON.stringify(metadata)],
      );
    const blob = (channel: string, version: string) =>
      db.run(
        `insert into checkpoint_blobs (thread_id, channel, version, type, blob) values ($1, $2, $3, 'json', 'x')`,
        [thread_id, channel, version],
      );
    await checkpoint('c1', { a: '1', b: '1' }, { run_id: uuidv7() });
    await Promise.all([blob('a', '1'), blob('b', '1')]);
    const before = await db.one(
      'select status, interrupts, "values", values_stale, has_checkpoint from threads',
    );
    const { run_id } = await engine.create(runOf('one', { thread_id }));
    await expect.poll(() => began).toEqual(['one']);
    await checkpoint('c2', { a: '1', b: '2' }, { run_id });
    await checkpoint('c3', { a: '2', b: '2' }, { run_id });
    await Promise.all([blob('b', '2'), blob('a', '2')]);
    if (how === 'cancelled') await engine.cancel(run_id, { action: 'rollback', reason: 'Asked for.' });
    else {
      const cancel = JSON.stringify({ action: 'rollback', reason: 'Asked for.' });
      await db.run('update runs set cancel = $2::text::jsonb where run_id = $1', [run_id, cancel]);
      open('one');
      await engine.ended(run_id, never);
      await engine.cancel(run_id, { action: 'rollback', reason: 'Asked for.' });
      await (await opened(script, db)).engine.find(run_id);
    }
    await expect.poll(() => engine.find(run_id)).toBeUndefined();
    expect(
      await db.one('select status, interrupts, "values", values_stale, has_checkpoint from threads'),
    ).toEqual(before);
    expect(await db.query('select checkpoint_id from checkpoints')).toEqual([{ checkpoint_id: 'c1' }]);
    expect(await db.query('select channel, version from checkpoint_blobs order by 1, 2')).toEqual([
      { channel: 'a', version: '1' },
      { channel: 'b', version: '1' },
    ]);
  },
);

test.each([
  ['interrupt', 'rollback'],
  ['rollback', 'interrupt'],
] as const)(
  'when two cancels come at once, %s and %s, then the rollback counts, here and stored',
  async (first, second) => {
    const { script, began } = gated();
    const { engine, db } = await opened(script);
    const { run_id } = await engine.create(runOf('one', fresh()));
    await expect.poll(() => began).toEqual(['one']);
    // The first is committed, and its answer on its way, when the second comes.
    const cancel = { action: first, reason: 'First.' };
    expect(await markCancelled(db, { run_id, cancel, epoch: engine.epoch })).toEqual(cancel);
    const noted = await markCancelled(db, {
      run_id,
      cancel: { action: second, reason: 'Second.' },
      epoch: engine.epoch,
    });
    expect(noted?.action).toBe('rollback');
    await engine.cancel(run_id, { action: 'interrupt', reason: 'Third.' });
    await expect.poll(() => engine.find(run_id)).toBeUndefined();
  },
);

test('when a run ends by itself while its rollback is noted, then it is gone, too', async () => {
  const { script, open, began } = gated();
  const { db } = stack().use(await engineDatabase());
  let ended: Promise<unknown> | undefined;
  const maybe: Database['maybe'] = async (sql, values) => {
    const noted = await db.maybe<never>(sql, values);
    if (sql.includes('cancel = case')) {
      open('one');
      await ended;
    }
    return noted;
  };
  const { engine } = await opened(script, Object.assign(Object.create(db) as Database, { maybe }));
  const { run_id } = await engine.create(runOf('one', fresh()));
  await expect.poll(() => began).toEqual(['one']);
  ended = engine.ended(run_id, never);
  await engine.cancel(run_id, { action: 'rollback', reason: 'Asked for.' });
  expect(await engine.find(run_id)).toBeUndefined();
});

test('when a run has ended, then its stream ends, however much its reader has read', async () => {
  const { script, open } = gated();
  const { engine, db } = await opened(script);
  open('one');
  const { run_id } = await engine.create(runOf('one', fresh()));
  await engine.ended(run_id, never);
  const all = await Array.fromAsync(engine.events(run_id, { after_seq: 0, signal: never }));
  const seqs = async (after_seq: number) =>
    (await Array.fromAsync(engine.events(run_id, { after_seq, signal: never }))).map(({ seq }) => seq);
  for (const [at, { seq }] of all.entries())
    expect(await seqs(seq)).toEqual(all.slice(at + 1).map((event) => event.seq));
  expect(await seqs(1_000_000)).toEqual([]);
  await db.run('delete from run_events');
  expect(await seqs(0)).toEqual([]);
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
