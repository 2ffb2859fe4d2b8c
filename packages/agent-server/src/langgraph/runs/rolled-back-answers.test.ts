import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { listeningAgent } from '../../testing/listening-agent.ts';
import { asJson, rpc, send, taskIn, user, type WireTask } from '../../testing/rpc-messages.ts';
import type { Rpc } from '../../testing/test-agent.ts';

/** Runs that answered a question and are rolled back: the thread, and its task, ask again. */

const listening = useFixture(listeningAgent);
const client = useFixture(() => listening().client());

const agent = 'patient';

async function call(body: object): Promise<WireTask> {
  const answer = await fetch(`${listening().url}/a2a/${agent}`, {
    method: 'POST',
    headers: asJson,
    body: JSON.stringify(body),
  });
  return taskIn((await answer.json()) as Rpc);
}

/** All that a client sees of a thread's questions. */
async function seen(thread_id: string) {
  const [thread, state, [newest]] = [
    await client().threads.get(thread_id),
    await client().threads.getState(thread_id),
    await client().threads.getHistory(thread_id, { limit: 1 }),
  ];
  const { status, interrupts, values } = thread;
  return { status, interrupts, values, state, newest };
}

const valuesOf = (interrupts: readonly { readonly value?: unknown }[]) =>
  interrupts.map(({ value }) => String(value)).toSorted();

/** The questions of a thread by their words, each with its id. */
async function questionsOf(thread_id: string): Promise<Readonly<Record<string, string>>> {
  const { interrupts } = await client().threads.get(thread_id);
  const asked = Object.values(interrupts).flat();
  return Object.fromEntries(asked.map(({ id = '', value }) => [String(value), id]));
}

/** Once the run holds its answers, and waits. */
async function answered(thread_id: string, question?: string): Promise<void> {
  const state = async () =>
    (await client().threads.getState(thread_id)).tasks.flatMap((task) => task.interrupts);
  await expect
    .poll(async () => question === undefined || valuesOf(await state()).includes(question))
    .toBe(true);
  const stored = `select from agent.checkpoint_writes where thread_id = $1 and channel = '__resume__' limit 1`;
  await expect.poll(() => listening().agent.rows(stored, [thread_id])).toHaveLength(1);
}

test.each([
  ['one of two answered', { 'Name?': 'wait' }, undefined],
  ['both answered, one of which asked on', { 'Name?': 'Ada', 'How much?': 'wait' }, 'Sure, Ada?'],
] as const)(
  'when an answer is rolled back, then the thread asks what it asked before: %s',
  async (_case, answers, then) => {
    const thread_id = crypto.randomUUID();
    await client().runs.wait(thread_id, agent, { input: { fields: {} }, ifNotExists: 'create' });
    const before = await seen(thread_id);
    const ids = await questionsOf(thread_id);
    expect(Object.keys(ids).toSorted()).toEqual(['How much?', 'Name?']);
    const resume = Object.fromEntries(Object.entries(answers).map(([word, answer]) => [ids[word], answer]));
    const { run_id } = await client().runs.create(thread_id, agent, { command: { resume } });
    await answered(thread_id, then);
    await client().runs.cancel(thread_id, run_id, true, 'rollback');
    expect(await seen(thread_id)).toEqual(before);
    const again = { command: { resume: { [ids['Name?'] ?? '']: 'Bo' } } };
    const { __interrupt__: asked } = (await client().runs.wait(thread_id, agent, again)) as {
      __interrupt__: { value: unknown }[];
    };
    expect(valuesOf(asked)).toEqual(['How much?', 'Sure, Bo?']);
  },
);

test.each(['A2A', 'the LangGraph API'])(
  'when an answer by %s is rolled back, then its task asks again',
  async (way) => {
    const asked = await call(send(user('hello')));
    const { id: taskId, contextId } = asked;
    const get = () => call(rpc('tasks/get', { id: taskId }));
    const known = await get();
    const [asking] = (known.status.message?.parts ?? []) as readonly { readonly text: string }[];
    expect(known.status.state).toBe('input-required');
    const [thread] = await client().threads.search({ metadata: { a2a_context_id: contextId } });
    const thread_id = thread?.thread_id ?? '';
    const before = await seen(thread_id);
    const ids = await questionsOf(thread_id);
    const resume = { [ids[asking?.text ?? ''] ?? '']: 'wait' };
    const answer = user('wait', { taskId, contextId });
    const question = known.status.message?.parts;
    const told =
      way === 'A2A'
        ? call(send(answer)).then(({ status }) => status.message?.parts)
        : client()
            .runs.create(thread_id, agent, { command: { resume } })
            .then(() => question);
    await expect.poll(async () => (await get()).status.state).toBe('working');
    const [run] = await client().runs.list(thread_id, { limit: 1 });
    await answered(thread_id);
    await client().runs.cancel(thread_id, run?.run_id ?? '', true, 'rollback');
    expect(await seen(thread_id)).toEqual(before);
    expect(await get()).toEqual(known);
    // Who waited for the answer hears the question.
    expect(await told).toEqual(question);
    // The same message is an answer once more.
    const onward = await call(send({ ...answer, parts: [{ kind: 'text', text: 'Bo' }] }));
    expect(onward.status.state).toBe('input-required');
    expect(onward.status.message?.parts).not.toEqual(question);
  },
);
