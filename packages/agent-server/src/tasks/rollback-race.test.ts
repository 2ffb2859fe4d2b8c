import type { Manifest } from '@roadstead/contracts/host';
import { uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { expect, test } from 'vitest';
import { engineDatabase } from '../testing/engine-database.ts';
import { openTestEngine, type Script } from '../testing/test-engine.ts';
import type { TaskMessage } from './task.ts';

/** A run that answers a question ends by itself while it is rolled back: what it was is decided once. */

const manifest: Manifest = {
  graphs: [{ graph_id: 'agent', description: null, channels: ['messages'], has_messages: true }],
  langgraph_version: null,
};
const never = new AbortController().signal;
const asking = {
  outcome: 'success',
  interrupts: [{ id: 'q', value: 'Sure?', task_id: 't' }],
  output: null,
} as const;
const said = (output: string) => ({ outcome: 'success', interrupts: [], output }) as const;
const message = (message_id: string): TaskMessage => ({
  message_id,
  role: 'user',
  parts: [{ kind: 'text', text: 'yes' }],
});
const request = { digest: 'd', stream: false, tracing_thread_id: undefined };

/** Who notes a cancel hears that it is noted once what `then` waits for has happened. */
function answeringLate(db: Database, then: () => Promise<unknown>): Database {
  const maybe: Database['maybe'] = async (sql, values) => {
    const noted = await db.maybe<never>(sql, values);
    if (sql.includes('cancel = case')) await then();
    return noted;
  };
  return Object.assign(Object.create(db) as Database, { maybe });
}

test.each(['before the engine hears of the rollback', 'instead of obeying'] as const)(
  'when an answering run succeeds %s, then its question is asked again',
  async (when) => {
    await using database = await engineDatabase();
    const { db } = database;
    const answering = Promise.withResolvers<string>();
    const gate = Promise.withResolvers<void>();
    let left: number | undefined;
    const script: Script = async ({ run_id, input, resume }, _emit, signal) => {
      if (input === 'next') {
        left = await db.run('select from runs where run_id = $1', [await answering.promise]);
        return said('next');
      }
      if (resume === undefined) return asking;
      signal?.addEventListener('abort', () => gate.resolve());
      answering.resolve(run_id);
      await gate.promise;
      return said('answered');
    };
    let told: Promise<unknown> = Promise.resolve();
    const late = answeringLate(db, async () => {
      if (when === 'instead of obeying') return;
      gate.resolve();
      await told;
    });
    await using tasks = await openTestEngine(late, script);
    const { engine } = tasks;
    tasks.activate(uuidv7(), manifest);
    const { assistant_id = '' } = tasks.assistants()[0] ?? {};
    const owner = { principal: 'workspace:w', assistant_id };
    const begin = { ...request, context_id: undefined, message: message('m'), input: {}, metadata: {} };
    const { id: task_id } = await tasks.begin(owner, begin);
    const asked = await tasks.settled(task_id, never);
    await tasks.resume(owner, { ...request, task_id, message: message('a'), value: 'yes' });
    const answer = await answering.promise;
    const settled = tasks.settled(task_id, never);
    told = settled;
    const { thread_id } = await db.one<{ thread_id: string }>('select thread_id from tasks');
    const { run_id: next } = await engine.create({
      thread: { thread_id, has_checkpoint: true },
      assistant_id,
      graph_id: 'agent',
      principal: 'workspace:w',
      kwargs: { input: 'next' },
      metadata: {},
      multitask_strategy: 'enqueue',
      chunks: false,
      plain: false,
      values: true,
    });
    const ended = engine.ended(next, never);
    await engine.cancel(answer, { action: 'rollback', reason: 'Asked for.' });
    const { state, message: question } = (await settled).status;
    expect([state, question?.parts]).toEqual(['input-required', asked.status.message?.parts]);
    await ended;
    expect(left).toBe(0);
    // What follows on the thread goes on with the task that asks again.
    expect((await tasks.task(owner, task_id))?.status.state).toBe('completed');
    expect(await engine.find(next)).toMatchObject({ status: 'success', task_id });
  },
);
