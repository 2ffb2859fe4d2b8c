import { expect, test } from 'vitest';
import { uuidv7 } from '@roadstead/kit';
import type { MultitaskStrategy } from '../runs/run.ts';
import { fresh, never, runOf, useGatedRuns } from '../testing/gated-runs.ts';

const { gated, opened } = useGatedRuns();

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
