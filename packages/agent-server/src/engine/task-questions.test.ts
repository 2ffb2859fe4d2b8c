import { expect, test } from 'vitest';
import type { RunResult } from '@roadstead/contracts/host';
import { echo, message, never, owner, useEngines } from '../testing/scripted-engines.ts';

const { freshUrl, openEngine } = useEngines();

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
