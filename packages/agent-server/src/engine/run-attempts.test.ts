import { expect, test } from 'vitest';
import { Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { RunResult, RunParams } from '@roadstead/contracts/host';
import type { EngineOptions } from './engine-options.ts';
import { echo, message, never, owner, useEngines } from '../testing/scripted-engines.ts';

const { freshUrl, openedDatabase, openEngine, openEngineOn } = useEngines();

test('when a graph throws, then the log has the cause, and its caller a reference to it', async () => {
  const failures: string[] = [];
  const thrown = {
    name: 'Error',
    message: 'connect postgres://user:secret@db',
    stack: 'Error: connect\n  at x',
  };
  const options: Partial<EngineOptions> = {
    onFailure: (run, error) => failures.push(`${run.run_id} ${error.message} ${error.stack ?? ''}`),
  };
  const db = await openedDatabase(await freshUrl());
  await using engine = await openEngineOn(db, async () => ({ outcome: 'error', error: thrown }), options);
  const begun = await engine.begin(owner, message('hi', { stream: true }));
  const seen = await engine.settled(begun.id, never);
  const [failure = ''] = failures;
  expect(failure).toContain(`${thrown.message} ${thrown.stack}`);
  const [reference = 'none'] = failure.split(' ');
  expect(seen.status).toMatchObject({
    state: 'failed',
    message: { parts: [{ text: `The agent failed; the reason is in its log, under ${reference}.` }] },
  });
  const events = await Array.fromAsync(engine.events(begun.id, 0, { signal: never }));
  for (const told of [seen, events, await engine.task(owner, begun.id)])
    expect(JSON.stringify(told)).not.toMatch(/secret|connect/);
});

test('when a host dies, then it costs an attempt, and three fail the task in a sentence', async () => {
  const attempts: number[] = [];
  await using engine = await openEngine(await freshUrl(), async (params) => {
    attempts.push(params.attempt);
    throw new Problem('unavailable', 'The graph host was ended by SIGKILL.');
  });
  const begun = await engine.begin(owner, message('hi'));
  expect((await engine.settled(begun.id, never)).status).toMatchObject({
    state: 'failed',
    message: { parts: [{ text: 'The agent failed: The graph host was ended by SIGKILL.' }] },
  });
  expect(attempts).toEqual([1, 2, 3]);
});

test('when an engine takes over, then it finishes the runs, and the former can write no more', async () => {
  const url = await freshUrl();
  let hangs = 0;
  const first = await openEngine(url, async () => {
    hangs += 1;
    return new Promise<RunResult>(() => undefined);
  });
  const begun = await first.begin(owner, message('hi'));
  await expect.poll(() => hangs).toBe(1);
  await using second = await openEngine(url, echo);
  expect((await second.settled(begun.id, never)).status.state).toBe('completed');
  await expect(first.begin(owner, message('too late'))).rejects.toThrow('taken');
});

test('when a host sends more after its run’s end, then it is ignored, and the stream ends', async () => {
  const db = await openedDatabase(await freshUrl());
  const committing = Promise.withResolvers<void>();
  const said = Promise.withResolvers<void>();
  const slow: Database = {
    ...db,
    prepared: async (name, text, values) => {
      if (name === 'write') committing.resolve();
      if (name === 'write') await said.promise;
      return db.prepared(name, text, values);
    },
  };
  await using engine = await openEngineOn(slow, async (params, emit) => {
    void committing.promise.then(() => {
      emit([{ kind: 'chunk', message_id: 'late', text: 'of a call that nobody awaited' }]);
      said.resolve();
    });
    return echo(params, emit);
  });
  const begun = await engine.begin(owner, message('hi', { stream: true }));
  const events = await Array.fromAsync(engine.events(begun.id, begun.seq, { signal: never }));
  expect(events.at(-1)).toMatchObject({ kind: 'status', status: { state: 'completed' } });
  expect(JSON.stringify(events)).not.toContain('nobody awaited');
});

test('when an engine’s epoch has passed, then it writes no checkpoint', async () => {
  const url = await freshUrl();
  const first = await openEngine(url, async () => new Promise<RunResult>(() => undefined));
  const begun = await first.begin(owner, message('hi'));
  await using second = await openEngine(url, echo);
  await second.settled(begun.id, never);
  const put = {
    thread_id: 'thread',
    checkpoint_ns: '',
    checkpoint_id: 'late',
    parent_checkpoint_id: null,
    checkpoint: {},
    metadata: {},
    channels: [],
  };
  await first.sink.ask({ method: 'checkpoint.put', params: put }, { blobs: [] });
  const { result } = await second.sink.ask(
    { method: 'checkpoint.get', params: { thread_id: 'thread', checkpoint_ns: '' } },
    { blobs: [] },
  );
  expect(result).toBeNull();
});

test('when a new attempt begins, then it takes back the unfinished pieces of the one before', async () => {
  await using engine = await openEngine(await freshUrl(), async (params, emit) => {
    if (params.attempt > 1) return echo(params, emit);
    emit([{ kind: 'chunk', message_id: 'cut', text: 'Your order is lo' }]);
    throw new Problem('unavailable', 'The graph host was ended by SIGKILL.');
  });
  const begun = await engine.begin(owner, message('hi', { stream: true }));
  const events = await Array.fromAsync(engine.events(begun.id, begun.seq, { signal: never }));
  expect(events).toContainEqual(
    expect.objectContaining({ kind: 'artifact', append: true, last_chunk: true }),
  );
  const { artifacts } = await engine.settled(begun.id, never);
  expect(artifacts.map(({ parts }) => parts)).toEqual([[{ kind: 'text', text: 'hello' }]]);
});

test('when a new attempt begins, then it goes on from its run’s checkpoints and tells all again', async () => {
  const seen: (RunParams['goes_on'] | 'began')[] = [];
  await using engine = await openEngine(await freshUrl(), async (params, emit) => {
    const { run_id, attempt, thread_id } = params;
    seen.push(params.goes_on ?? 'began');
    emit([{ kind: 'message', message: { id: `${run_id} ${attempt}`, role: 'assistant', text: 'hello' } }]);
    for (const at of seen.length === 1 ? ['1'] : ['2', '3']) {
      const key = { thread_id, checkpoint_ns: '', checkpoint_id: at, parent_checkpoint_id: null };
      const put = { ...key, checkpoint: {}, metadata: {}, channels: [], run_id, attempt };
      engine.sink.tell({ method: 'checkpoint.put', params: put }, []);
    }
    if (seen.length === 2) throw new Problem('unavailable', 'The graph host was ended by SIGKILL.');
    return { outcome: 'success', interrupts: [], output: null };
  });
  const { context_id } = await engine.begin(owner, message('one'));
  const second = await engine.begin(owner, message('two', { context_id }));
  const { artifacts } = await engine.settled(second.id, never);
  expect(seen).toEqual(['began', 'began', { after: '1' }]);
  expect(artifacts.map(({ artifact_id }) => artifact_id.split(' ')[1])).toEqual(['2']);
});

test('when an agent stops, then a caller who waits for a task learns it', async () => {
  const drained = Promise.withResolvers<RunResult>();
  const engine = await openEngine(await freshUrl(), () => drained.promise);
  const begun = await engine.begin(owner, message('hi', { stream: true }));
  const waiting = engine.settled(begun.id, never);
  const events = Array.fromAsync(engine.events(begun.id, begun.seq, { signal: never }));
  const closing = engine[Symbol.asyncDispose]();
  drained.resolve({ outcome: 'cancelled', reason: 'drain' });
  await expect(waiting).rejects.toThrow('This agent stops');
  await events;
  await closing;
});
