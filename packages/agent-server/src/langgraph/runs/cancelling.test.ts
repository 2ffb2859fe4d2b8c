import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { listeningAgent } from '../../testing/listening-agent.ts';

/** Why a run was cancelled, as who waits for it, its thread and the deployment's log are told. */

const listening = useFixture(listeningAgent);
const client = useFixture(() => listening().client());

interface WaitingRun {
  readonly thread_id: string;
  readonly run_id: string;
  readonly assistant_id: string;
}
const waits = () => ({ messages: [{ role: 'user', content: `wait ${crypto.randomUUID()}` }] });
const next = (multitaskStrategy: 'interrupt' | 'rollback') => async (run: WaitingRun) => {
  const input = { messages: [{ role: 'user', content: 'next' }] };
  return (await client().runs.create(run.thread_id, 'gate', { input, multitaskStrategy })).run_id;
};

/** Starts a run of an assistant of its own on a thread of its own, and answers once it is under way. */
async function waiting(): Promise<WaitingRun> {
  const { thread_id } = await client().threads.create();
  const { assistant_id } = await client().assistants.create({ graphId: 'gate' });
  const { run_id } = await client().runs.create(thread_id, assistant_id, {
    input: waits(),
    streamMode: ['updates'],
  });
  for await (const { event } of client().runs.joinStream(thread_id, run_id)) if (event === 'updates') break;
  return { thread_id, run_id, assistant_id };
}

test.for<[string, (run: WaitingRun) => Promise<string | void>, RegExp]>([
  ['a call', (run) => client().runs.cancel(run.thread_id, run.run_id), /^It was cancelled by a call/],
  [
    'a call for many',
    (run) => client().runs.cancelMany({ threadId: run.thread_id, runIds: [run.run_id] }),
    /^It was cancelled with others/,
  ],
  ['a run that interrupts it', next('interrupt'), /^It gave way to run ([-\w]+), which interrupts/],
])('when %s cancels a run, then that is why it ended', async ([, cancel, reason]) => {
  const run = await waiting();
  const other = await cancel(run);
  const ended = (await client().runs.join(run.thread_id, run.run_id)) as {
    readonly __error__?: { readonly error: string; readonly message: string };
  };
  expect(ended.__error__).toEqual({ error: 'UserInterrupt', message: expect.stringMatching(reason) });
  const { message = '' } = ended.__error__ ?? {};
  expect(reason.exec(message)?.[1]).toBe(other ?? undefined);
  expect(listening().agent.lines.map((line) => line.message)).toContain(
    `Run ${run.run_id} was cancelled: ${message}`,
  );
});

test('when a run was cancelled, then its thread says why until the next one ends', async () => {
  const run = await waiting();
  await client().runs.cancel(run.thread_id, run.run_id, true);
  expect(await client().threads.get(run.thread_id)).toMatchObject({
    status: 'idle',
    error: {
      error: 'UserInterrupt',
      name: 'UserInterrupt',
      message: 'It was cancelled by a call of the API.',
    },
  });
  const input = { messages: [{ role: 'user', content: 'hello' }] };
  await client().runs.wait(run.thread_id, 'gate', { input });
  expect(await client().threads.get(run.thread_id)).toMatchObject({ error: null });
});

test('when its assistant is deleted, then the thread of a run says so', async () => {
  const run = await waiting();
  await client().assistants.delete(run.assistant_id);
  const message = 'Its assistant was deleted.';
  expect(await client().threads.get(run.thread_id)).toMatchObject({
    error: { error: 'UserInterrupt', name: 'UserInterrupt', message },
  });
  expect(listening().agent.lines.map((line) => line.message)).toContain(
    `Run ${run.run_id} was cancelled: ${message}`,
  );
});

test('when a run rolls the one before it back, then the log names it', async () => {
  const run = await waiting();
  const other = await next('rollback')(run);
  await client().runs.join(run.thread_id, other);
  const lines = listening().agent.lines.filter((line) =>
    line.message.includes(`Run ${run.run_id} was cancelled`),
  );
  expect(lines.map((line) => line.message)).toEqual([
    expect.stringContaining(`run ${other}, which rolls back`),
  ]);
});

test('when the client of a run that asked for it goes away, then that is why it ended', async () => {
  const { thread_id } = await client().threads.create();
  const leaving = new AbortController();
  let run_id = '';
  const streamed = client().runs.stream(thread_id, 'gate', {
    input: waits(),
    streamMode: ['updates'],
    onDisconnect: 'cancel',
    signal: leaving.signal,
    onRunCreated: (run) => (run_id = run.run_id),
  });
  for await (const { event } of streamed) if (event === 'updates') break;
  leaving.abort();
  expect(await client().runs.join(thread_id, run_id)).toEqual({
    __error__: { error: 'UserInterrupt', message: expect.stringContaining('Its client went away') },
  });
});
