import { expect, test } from 'vitest';
import type { Problem } from '@roadstead/kit';
import { echo, message, never, owner, revision_id, useEngines } from '../testing/scripted-engines.ts';

const { freshUrl, openedDatabase, openEngine, openEngineOn } = useEngines();

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
