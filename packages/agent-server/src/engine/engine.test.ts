import { expect, test } from 'vitest';
import { assistantIdOf, Problem } from '@roadstead/kit';
import { type Database, openDatabase } from '@roadstead/postgres';
import type { Manifest, RunResult, RunParams } from '@roadstead/contracts/host';
import { freshDatabase, useFixturePerTest } from '@roadstead/testing';
import { engineSchema } from '../testing/engine-database.ts';
import type { BeginTask, Owner } from '../tasks/task-engine.ts';
import { ENGINE_SCHEMA } from '../database/engine-migrations.ts';
import type { EngineOptions } from './engine-options.ts';
import { openTestEngine, type Script, type TestEngine } from '../testing/test-engine.ts';

const graph = { graph_id: 'agent', description: null, channels: ['messages'], has_messages: true };
const manifest: Manifest = { graphs: [graph], langgraph_version: null };
const owner: Owner = { principal: 'workspace:w', assistant_id: assistantIdOf('agent') };
const revision_id = '11111111-1111-4111-8111-111111111111';
const never = new AbortController().signal;

const stack = useFixturePerTest(() => new AsyncDisposableStack());

const echo: Script = async (params, emit) => {
  emit([{ kind: 'message', message: { id: `ai-${params.run_id}`, role: 'assistant', text: 'hello' } }]);
  return { outcome: 'success', interrupts: [], output: null };
};

async function freshUrl(): Promise<string> {
  return stack().use(await freshDatabase('test', [engineSchema])).url;
}

async function openedDatabase(url: string): Promise<Database> {
  const db = stack().use(openDatabase({ url, max: 4, name: 'engine test', schema: ENGINE_SCHEMA }));
  return db;
}

/** An engine whose graph host is a function. */
async function openEngine(url: string, script: Script): Promise<TestEngine> {
  return openEngineOn(await openedDatabase(url), script);
}

async function openEngineOn(
  db: Database,
  script: Script,
  more: Partial<EngineOptions> = {},
): Promise<TestEngine> {
  const engine = await openTestEngine(db, script, more);
  engine.activate(revision_id, manifest);
  return engine;
}

let messages = 0;
function message(text: string, more: Partial<BeginTask> = {}): BeginTask {
  messages += 1;
  return {
    context_id: undefined,
    digest: `key-${messages}`,
    message: { message_id: `m-${messages}`, role: 'user', parts: [{ kind: 'text', text }] },
    input: { messages: [{ role: 'user', content: text }] },
    stream: false,
    tracing_thread_id: undefined,
    metadata: {},
    ...more,
  };
}

test('when a message comes, then it is a task that completes with the answer and stays readable', async () => {
  await using engine = await openEngine(await freshUrl(), echo);
  const begun = await engine.begin(owner, message('hi'));
  expect(begun.status.state).toBe('submitted');
  const task = await engine.settled(begun.id, never);
  expect(task).toMatchObject({
    id: begun.id,
    context_id: begun.context_id,
    status: { state: 'completed' },
    artifacts: [{ parts: [{ text: 'hello' }] }],
  });
  expect(await engine.task(owner, begun.id)).toEqual(task);
  expect(await engine.task({ ...owner, principal: 'workspace:other' }, begun.id)).toBeUndefined();
});

test('when a client names a revision, then the run’s metadata still name the one that serves it', async () => {
  const seen: object[] = [];
  await using engine = await openEngine(await freshUrl(), async (params, emit) => {
    seen.push(params.metadata);
    return echo(params, emit);
  });
  const begun = await engine.begin(owner, message('hi', { metadata: { mine: 1, revision_id: 'another' } }));
  await engine.settled(begun.id, never);
  const { context_id } = begun;
  expect(seen).toEqual([{ mine: 1, revision_id, run_attempt: 1, thread_id: context_id, context_id }]);
});

test('when a sender would not see the thread of its message, then none begins', async () => {
  const db = await openedDatabase(await freshUrl());
  await using engine = await openEngineOn(db, echo);
  const within = { owner: 'me' };
  for (const thread_metadata of [undefined, {}, { owner: 'you' }])
    await expect(
      engine.begin({ ...owner, within, ...(thread_metadata && { thread_metadata }) }, message('hi')),
    ).rejects.toMatchObject({ kind: 'forbidden' });
  expect(await db.one('select count(*) as n from threads')).toEqual({ n: 0 });
  await engine.begin({ ...owner, within, thread_metadata: { owner: 'me' } }, message('hi'));
});

test('when the same message comes again, then its task is the answer', async () => {
  await using engine = await openEngine(await freshUrl(), echo);
  const request = message('hi');
  const [first, second] = await Promise.all([engine.begin(owner, request), engine.begin(owner, request)]);
  expect(second.id).toBe(first.id);
});

test('when several messages come in one context, then they run one after the other', async () => {
  const order: string[] = [];
  await using engine = await openEngine(await freshUrl(), async (params, emit) => {
    order.push(`begin ${params.run_id}`);
    await new Promise((resolve) => setImmediate(resolve));
    order.push(`end ${params.run_id}`);
    return echo(params, emit);
  });
  const first = await engine.begin(owner, message('one'));
  const others = await Promise.all(
    ['two', 'three'].map((text) => engine.begin(owner, message(text, { context_id: first.context_id }))),
  );
  for (const { id } of [first, ...others]) await engine.settled(id, never);
  expect(order.map((entry) => entry.split(' ')[0])).toEqual(['begin', 'end', 'begin', 'end', 'begin', 'end']);
});

test('when a client follows a stream from any point, then it gets every committed event once', async () => {
  await using engine = await openEngine(await freshUrl(), async (params, emit) => {
    for (const text of ['a', 'b', 'c']) emit([{ kind: 'chunk', message_id: 'm', text }]);
    emit([{ kind: 'message', message: { id: 'm', role: 'assistant', text: 'abc' } }]);
    return { outcome: 'success', interrupts: [], output: null };
  });
  const task = await engine.begin(owner, message('hi', { stream: true }));
  const events = await Array.fromAsync(engine.events(task.id, task.seq, { signal: never }));
  expect(events.at(-1)).toMatchObject({ kind: 'status', status: { state: 'completed' } });
  const text = events
    .map((event) =>
      event.kind === 'artifact'
        ? event.artifact.parts.map((part) => part.kind === 'text' && part.text).join('')
        : '',
    )
    .join('');
  expect(text).toBe('abc');
  const later = await Array.fromAsync(engine.events(task.id, events[0]?.seq ?? 0, { signal: never }));
  expect(later).toEqual(events.slice(1));
});

test('when one event withdraws many messages, then each event of the task has its own number', async () => {
  const drafts = Array.from({ length: 9 }, (_, at) => `draft ${at}`);
  await using engine = await openEngine(await freshUrl(), async ({ attempt }, emit) => {
    emit(drafts.map((text) => ({ kind: 'chunk', message_id: `${attempt}.${text}`, text })));
    if (attempt === 1) throw new Error('The host died.');
    return { outcome: 'success', interrupts: [], output: null };
  });
  const begun = await engine.begin(owner, message('hi', { stream: true }));
  const read = (after: number) => Array.fromAsync(engine.events(begun.id, after, { signal: never }));
  const events = await read(begun.seq);
  // Each is said and withdrawn, in both attempts; and the task works and completes.
  expect(events.filter(({ kind }) => kind === 'artifact')).toHaveLength(4 * drafts.length);
  expect(new Set(events.map(({ seq }) => seq)).size).toBe(events.length);
  for (const [at, { seq }] of events.slice(0, -1).entries())
    expect(await read(seq)).toEqual(events.slice(at + 1));
});

test('when an engine is full, then it refuses messages, until something has ended', async () => {
  const gate = Promise.withResolvers<void>();
  const db = await openedDatabase(await freshUrl());
  await using engine = await openEngineOn(
    db,
    async (params, emit) => gate.promise.then(() => echo(params, emit)),
    { limits: { messages: 4, bytes: 1_000_000 } },
  );
  const first = await engine.begin(owner, message('one'));
  // One that waits for its thread takes room, too; one that was refused takes none.
  const second = await engine.begin(owner, message('two', { context_id: first.context_id }));
  const full = expect.objectContaining({ kind: 'unavailable', retry_after_s: expect.any(Number) }) as Problem;
  for (const text of ['three', 'four'])
    await expect(engine.begin(owner, message(text))).rejects.toThrow(full);
  gate.resolve();
  for (const { id } of [first, second]) await engine.settled(id, never);
  const fifth = await engine.begin(owner, message('five'));
  expect((await engine.settled(fifth.id, never)).status.state).toBe('completed');
});

test('when an interrupt asks, then a reply goes on, and a second reply is too late', async () => {
  const resumed: unknown[] = [];
  await using engine = await openEngine(await freshUrl(), async (params, emit) => {
    if (params.resume === undefined)
      return { outcome: 'success', interrupts: [{ id: 'i', value: 'Sure?' }], output: null };
    resumed.push(params.resume.value);
    return echo(params, emit);
  });
  const begun = await engine.begin(owner, message('do it'));
  expect((await engine.settled(begun.id, never)).status).toMatchObject({
    state: 'input-required',
    message: { parts: [{ text: 'Sure?' }] },
  });
  const reply = {
    task_id: begun.id,
    message: message('yes').message,
    value: 'yes',
    stream: false,
    tracing_thread_id: undefined,
  };
  const both = await Promise.all([engine.resume(owner, reply), engine.resume(owner, reply)]);
  expect(both.flatMap((task) => task?.status.state ?? [])).toEqual(['working']);
  expect((await engine.settled(begun.id, never)).status.state).toBe('completed');
  expect(resumed).toEqual(['yes']);
});

test.each([
  { at: 'while it waits', early: false },
  { at: 'before it is asked', early: true },
])(
  'when a run without a task answers a question $at, then the task goes on with that run',
  async ({ early }) => {
    const asking = Promise.withResolvers<void>();
    await using engine = await openEngine(await freshUrl(), async (params, emit) => {
      if (params.command !== undefined) return echo(params, emit);
      await asking.promise;
      return { outcome: 'success', interrupts: [{ id: 'i', value: 'Sure?' }], output: null };
    });
    const begun = await engine.begin(owner, message('do it'));
    const events = Array.fromAsync(engine.events(begun.id, begun.seq, { signal: never }));
    const answer = () =>
      engine.engine.create({
        thread: { thread_id: begun.context_id },
        assistant_id: owner.assistant_id,
        graph_id: 'agent',
        principal: owner.principal,
        kwargs: { command: { resume: 'yes' } },
        metadata: {},
        multitask_strategy: 'enqueue',
        chunks: false,
        plain: false,
        values: true,
      });
    if (early) await answer();
    asking.resolve();
    if (!early) {
      await engine.settled(begun.id, never);
      await answer();
    }
    const states = (await events).flatMap((event) => (event.kind === 'status' ? [event.status.state] : []));
    expect(states.slice(-3)).toEqual(['input-required', 'working', 'completed']);
    expect(await engine.task(owner, begun.id)).toMatchObject({
      status: { state: 'completed' },
      artifacts: [{ parts: [{ text: 'hello' }] }],
    });
  },
);

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

/** A database whose next answers, once told to, are lost: what was sent may stand all the same. */
function losing(db: Database): { readonly db: Database; lose: (name: string, sent: boolean) => void } {
  let losing: { name: string; sent: boolean } | undefined;
  const lost = () => Object.assign(new Error('Connection terminated unexpectedly'), {});
  const around = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    if (losing?.name !== name) return work();
    const { sent } = losing;
    losing = undefined;
    if (sent) await work();
    throw lost();
  };
  const between: Database = {
    ...db,
    query: (text, values) => around('query', () => db.query(text, values)),
    prepared: (name, text, values) => around(name, () => db.prepared(name, text, values)),
    run: (text, values) =>
      around(text.includes('attempt = attempt + 1') ? 'renew' : 'run', () => db.run(text, values)),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  };
  return { db: between, lose: (name, sent) => (losing = { name, sent }) };
}

test.each([true, false])(
  'when the answer of a begin is lost (committed: %s), then it may be sent again',
  async (sent) => {
    const lossy = losing(await openedDatabase(await freshUrl()));
    await using engine = await openEngineOn(lossy.db, echo);
    const request = message('hi', { digest: 'same' });
    lossy.lose('begin', sent);
    await expect(engine.begin(owner, request)).rejects.toThrow('Connection terminated');
    const again = await engine.begin(owner, request);
    expect((await engine.settled(again.id, never)).status.state).toBe('completed');
  },
);

test('when a host dies while the database is away, then it costs an attempt, and not the run', async () => {
  const lossy = losing(await openedDatabase(await freshUrl()));
  await using engine = await openEngineOn(lossy.db, async (params, emit) => {
    if (params.attempt > 1) return echo(params, emit);
    lossy.lose('renew', false);
    throw new Problem('unavailable', 'The graph host was ended by SIGKILL.');
  });
  const begun = await engine.begin(owner, message('hi'));
  expect((await engine.settled(begun.id, never)).status.state).toBe('completed');
});

test('when nobody knows whether an attempt has begun, then it is looked for again', async () => {
  const lossy = losing(await openedDatabase(await freshUrl()));
  await using engine = await openEngineOn(lossy.db, async (params, emit) => {
    if (params.attempt > 1) return echo(params, emit);
    lossy.lose('renew', true);
    throw new Problem('unavailable', 'The graph host was ended by SIGKILL.');
  });
  const begun = await engine.begin(owner, message('hi'));
  expect((await engine.settled(begun.id, never)).status.state).toBe('completed');
});

test('when a graph speaks like a database that is away, then it fails as graphs do', async () => {
  await using engine = await openEngine(await freshUrl(), async () => {
    throw new Error('Connection terminated unexpectedly');
  });
  const begun = await engine.begin(owner, message('hi'));
  expect((await engine.settled(begun.id, never)).status.state).toBe('failed');
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

test('when an engine stops while its database is away, then the next one ends the run', async () => {
  const url = await freshUrl();
  const db = await openedDatabase(url);
  let tries = 0;
  const away: Database = {
    ...db,
    prepared: async (name, text, values) => {
      if (name !== 'write') return db.prepared(name, text, values);
      tries += 1;
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    },
  };
  const engine = await openEngineOn(away, echo);
  const begun = await engine.begin(owner, message('hi'));
  await expect.poll(() => tries).toBeGreaterThan(1);
  await engine[Symbol.asyncDispose]();
  await using next = await openEngine(url, echo);
  expect((await next.settled(begun.id, never)).status.state).toBe('completed');
});

test('when a task asks, then what waits behind it is rejected in words, and the question stays', async () => {
  const asking = Promise.withResolvers<void>();
  await using engine = await openEngine(await freshUrl(), async (params, emit) => {
    if (params.resume !== undefined) return echo(params, emit);
    await asking.promise;
    return { outcome: 'success', interrupts: [{ id: 'i', value: 'Sure?' }], output: null };
  });
  const first = await engine.begin(owner, message('do it'));
  const { context_id } = first;
  const second = await engine.begin(owner, message('and this', { context_id }));
  const third = await engine.begin(owner, message('and that', { context_id }));
  asking.resolve();
  expect((await engine.settled(first.id, never)).status.state).toBe('input-required');
  for (const { id } of [second, third])
    expect((await engine.settled(id, never)).status).toMatchObject({
      state: 'rejected',
      message: { parts: [{ text: expect.stringContaining('Answer it with its taskId') }] },
    });
  const reply = { task_id: first.id, message: message('yes').message, value: 'yes', stream: false };
  const resumed = await engine.resume(owner, { ...reply, tracing_thread_id: undefined });
  expect(resumed?.status.state).toBe('working');
  expect((await engine.settled(first.id, never)).status.state).toBe('completed');
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

test('when a task answers before it asks, then its answer outlives the engine that heard it', async () => {
  const url = await freshUrl();
  const first = await openEngine(url, async (params, emit) => {
    if (params.resume !== undefined) return new Promise<RunResult>(() => undefined);
    emit([{ kind: 'message', message: { id: 'before', role: 'assistant', text: 'One moment.' } }]);
    return { outcome: 'success', interrupts: [{ id: 'i', value: 'Sure?' }], output: null };
  });
  const begun = await first.begin(owner, message('do it'));
  await first.settled(begun.id, never);
  const reply = { task_id: begun.id, message: message('yes').message, value: 'yes', stream: false };
  await first.resume(owner, { ...reply, tracing_thread_id: undefined });
  await using second = await openEngine(url, echo);
  const { artifacts } = await second.settled(begun.id, never);
  expect(artifacts.flatMap(({ parts }) => parts)).toMatchObject([{ text: 'One moment.' }, { text: 'hello' }]);
});

test('when the database is away, then what a host asks waits', async () => {
  const lossy = losing(await openedDatabase(await freshUrl()));
  await using engine = await openEngineOn(lossy.db, echo);
  lossy.lose('query', false);
  const asked = await engine.sink.ask(
    { method: 'checkpoint.get', params: { thread_id: 't', checkpoint_ns: '' } },
    { blobs: [] },
  );
  expect(asked.result).toBeNull();
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
