import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { errorOf, texts } from '../../packages/graph-host/src/testing/host-process.ts';
import { human, runOf, startHost } from './host.ts';

/** How runs begin, ask, go on and end, and what a host writes and tells meanwhile. */

const host = useFixture(() => startHost('graphs'));

test('when a run is given input, then its messages come before its end, which bears the output', async () => {
  const { outcome, events } = await host().run(runOf('echo', { thread_id: 'first' }));
  expect(texts(events)).toEqual(['1: hello']);
  expect(outcome).toMatchObject({ outcome: 'success', interrupts: [] });
  expect(outcome).toMatchObject({ output: { messages: [{ role: 'assistant', text: '1: hello' }] } });
});

test('when a thread has no checkpoint, then the host asks for none', async () => {
  const before = host().engine.heard.length;
  await host().run(runOf('echo'));
  expect(
    host()
      .engine.heard.slice(before)
      .filter((one) => one.startsWith('ask checkpoint')),
  ).toEqual([]);
});

test('when a run ends, then its end is the last that is told of it', async () => {
  await host().run(runOf('echo'));
  expect(host().engine.heard.at(-1)).toBe('tell done');
});

test('when a conversation goes on, then it does so in the same process and in another', async () => {
  const thread_id = crypto.randomUUID();
  await host().run(runOf('echo', { thread_id }));
  expect(texts((await host().run(runOf('echo', { thread_id }))).events)).toEqual(['2: hello']);
  await using other = startHost('graphs', { engine: host().engine });
  expect(texts((await other.run(runOf('echo', { thread_id }))).events)).toEqual(['3: hello']);
});

test('when many runs are given at once, then each ends by itself', async () => {
  const ends = await Promise.all(
    Array.from({ length: 20 }, (_, at) => host().run(runOf('echo', { input: human(`run ${at}`) }))),
  );
  expect(ends.map(({ events }) => texts(events))).toEqual(ends.map((_, at) => [`1: run ${at}`]));
});

test.each(['sync', 'async', 'exit'] as const)(
  'when the durability of a run is %s, then its checkpoints are written accordingly',
  async (durability) => {
    const thread_id = crypto.randomUUID();
    const before = host().engine.heard.length;
    await host().run(runOf('stages', { thread_id, durability }));
    const puts = host()
      .engine.heard.slice(before)
      .filter((one) => one.endsWith('checkpoint.put'));
    const verb = durability === 'sync' ? 'ask' : 'tell';
    expect(puts).toEqual(puts.map(() => `${verb} checkpoint.put`));
    expect(puts.length).toBe(durability === 'exit' ? 1 : 4);
  },
);

test('when an attempt writes, then what it writes names it', async () => {
  const thread_id = crypto.randomUUID();
  const run_id = crypto.randomUUID();
  await host().run(runOf('stages', { thread_id, run_id, attempt: 3 }));
  const checkpoints = host().engine.checkpoints(thread_id);
  expect(checkpoints.length).toBeGreaterThan(0);
  const writers = new Set(checkpoints.map((one) => `${one.run_id}/${one.attempt}`));
  expect(writers).toEqual(new Set([`${run_id}/3`]));
});

test('when a graph asks, then the run ends with the question, and answers bring the next one', async () => {
  const thread_id = crypto.randomUUID();
  const asked = await host().run(runOf('approval', { thread_id }));
  expect(asked.outcome).toMatchObject({
    outcome: 'success',
    interrupts: [{ id: expect.any(String) as unknown, value: 'Who?' }],
  });
  const named = await host().run(runOf('approval', { thread_id, resume: { value: 'Ada' } }));
  expect(named.outcome).toMatchObject({ interrupts: [{ value: { question: 'Sure?', name: 'Ada' } }] });
  const sure = await host().run(runOf('approval', { thread_id, resume: { value: 'yes' } }));
  expect(sure.outcome).toMatchObject({ interrupts: [] });
  expect(texts(sure.events)).toEqual(['Ada is yes']);
});

test('when an answer names its question, then it answers that one', async () => {
  const thread_id = crypto.randomUUID();
  const { outcome } = await host().run(runOf('approval', { thread_id }));
  const { interrupts } = outcome as { interrupts: readonly { readonly id: string }[] };
  const resume = { value: 'Bo', interrupt_id: interrupts[0]?.id ?? '' };
  const named = await host().run(runOf('approval', { thread_id, resume }));
  expect(named.outcome).toMatchObject({ interrupts: [{ value: { name: 'Bo' } }] });
});

test('when a command resumes a run, then it goes on as with an answer', async () => {
  const thread_id = crypto.randomUUID();
  await host().run(runOf('approval', { thread_id }));
  const named = await host().run(runOf('approval', { thread_id, command: { resume: 'Cy' } }));
  expect(named.outcome).toMatchObject({ interrupts: [{ value: { name: 'Cy' } }] });
});

test('when a run is to stop before or after nodes, then it names the nodes that would be next', async () => {
  const thread_id = crypto.randomUUID();
  const before = await host().run(runOf('stages', { thread_id, interrupt_before: ['second'] }));
  expect(before.outcome).toMatchObject({ interrupts: [], next: ['second'] });
  expect(texts(before.events)).toEqual(['one']);
  const after = await host().run(runOf('stages', { thread_id, input: null }));
  expect(texts(after.events)).toEqual(['two']);
});

test('when the final state is asked for, then it comes with the end', async () => {
  const { outcome } = await host().run(runOf('stages', { values: true, plain: false }));
  expect(outcome).toMatchObject({
    values: { messages: [{ type: 'human' }, { type: 'ai', content: 'one' }, { type: 'ai', content: 'two' }] },
    output: null,
  });
});

test('when an attempt goes on after its host died, then it repeats no node', async () => {
  const thread_id = crypto.randomUUID();
  const run_id = crypto.randomUUID();
  await host().run(runOf('stages', { thread_id, run_id, durability: 'sync' }));
  host().engine.rewind(thread_id, 3);
  const again = await host().run({
    thread_id,
    run_id,
    attempt: 2,
    graph_id: 'stages',
    goes_on: { after: null },
    durability: 'sync',
  });
  // Messages of people may be among them: the engine has those.
  expect(texts(again.events).filter((text) => text !== 'hello')).toEqual(['one', 'two']);
  const writers = host()
    .engine.checkpoints(thread_id)
    .map(({ attempt }) => attempt);
  expect(writers.toSorted((one = 0, other = 0) => one - other)).toEqual([1, 1, 1, 2]);
});

test('when a node throws, then the run ends in an error with its name and its words', async () => {
  const { outcome } = await host().run(runOf('fail'));
  const error = errorOf(outcome);
  expect(error.name).not.toBe('');
  expect(error.message).toBe('This went wrong. | with a second line');
  expect(error.rejected).toBeUndefined();
});

test('when a graph refuses its input, then the error says that it is meant for the caller', async () => {
  const { outcome } = await host().run(runOf('fail', { input: human('refuse') }));
  expect(errorOf(outcome)).toMatchObject({ message: 'Only invoices are handled here.', rejected: true });
});

test('when a run names an unknown graph, then it ends in an error that names it', async () => {
  expect(errorOf((await host().run(runOf('nobody'))).outcome).message).toContain('nobody');
});

test('when a run is past its limit of steps, then it ends in an error', async () => {
  expect((await host().run(runOf('stages', { recursion_limit: 1 }))).outcome.outcome).toBe('error');
});

test('when a graph uses the store, then its items are read and written by batches', async () => {
  const before = host().engine.heard.length;
  expect(texts((await host().run(runOf('notes', { input: human('milk') }))).events)).toEqual(['nothing']);
  expect(texts((await host().run(runOf('notes', { input: human('eggs') }))).events)).toEqual(['milk']);
  expect(host().engine.heard.slice(before)).toContain('ask store.batch');
});

test('when a graph logs, then its lines come with their level, and what it prints is not told', async () => {
  await host().run(runOf('logger'));
  await host().until(() => host().logged.length > 0 && host().output.includes('printed'));
  expect(host().logged).toContainEqual({ level: 'WARNING', message: 'careful' });
  expect(host().logged.map(({ message }) => message)).not.toContain('printed');
});
