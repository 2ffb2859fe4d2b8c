import { expect, test } from 'vitest';
import type { Manifest } from '@roadstead/contracts/host';
import { assistantIdOf, Problem, uuidv7 } from '@roadstead/kit';
import { openDatabase } from '@roadstead/postgres';
import { freshDatabase, useFixturePerTest } from '@roadstead/testing';
import { ENGINE_SCHEMA } from '../database/engine-migrations.ts';
import { type AttemptResult, MOVED } from '../hosts/attempt-result.ts';
import type { NewRun } from '../runs/run.ts';
import { engineSchema } from '../testing/engine-database.ts';
import { openTestEngine } from '../testing/test-engine.ts';
import type { HostedAttempt, RunHosts } from './engine-options.ts';

/** The engine's questions to hosts before and between the attempts of a run. */

const graph = { graph_id: 'agent', description: null, channels: ['messages'], has_messages: true };
const manifest: Manifest = { graphs: [graph], langgraph_version: null };
const done: AttemptResult = { outcome: 'success', interrupts: [], output: null };
const drained: AttemptResult = { outcome: 'cancelled', reason: 'drain' };

const stack = useFixturePerTest(() => new AsyncDisposableStack());

async function openEngine(more: Partial<RunHosts>) {
  const { url } = stack().use(await freshDatabase('test', [engineSchema]));
  const db = stack().use(openDatabase({ url, max: 4, name: 'moved runs test', schema: ENGINE_SCHEMA }));
  const hosts: RunHosts = {
    run: async () => done,
    cancel: () => undefined,
    ask: () => Promise.reject(new Error('There is no host to ask.')),
    requireRunnable: () => undefined,
    ...more,
  };
  const { engine } = stack().use(await openTestEngine(db, async () => done, { hosts }));
  engine.activate(uuidv7(), manifest);
  return engine;
}

const newRun = (): NewRun => ({
  thread: { thread_id: uuidv7(), create: { metadata: {} } },
  assistant_id: assistantIdOf('agent'),
  graph_id: 'agent',
  principal: 'workspace:w',
  kwargs: { input: 'hi' },
  metadata: {},
  multitask_strategy: 'enqueue',
  chunks: false,
  plain: false,
  values: true,
});

test.each([
  { why: 'was moved away from held loops', result: MOVED, status: 'success', moves: 25 },
  { why: 'was drained', result: drained, status: 'error', moves: 0 },
])('when a run $why 25 times, then it ends with $status', async ({ result, status, moves }) => {
  const attempts: HostedAttempt[] = [];
  const engine = await openEngine({
    run: async (_revision, attempt) => {
      attempts.push(attempt);
      return attempts.length > 25 ? done : result;
    },
  });
  const { run_id } = await engine.create(newRun());
  const { end } = await engine.ended(run_id, new AbortController().signal);
  expect(end).toMatchObject({ status });
  expect(JSON.stringify(end).includes('begun 20 times')).toBe(status === 'error');
  expect(attempts.at(-1)?.moves).toBe(moves);
});

test('when hosts of a graph keep ending, then it is asked of this graph whether it can run', async () => {
  const engine = await openEngine({
    requireRunnable: (graph_id) => {
      throw new Problem('unavailable', `The hosts of ${graph_id ?? 'all graphs'} keep ending.`);
    },
  });
  await expect(engine.create(newRun())).rejects.toThrow('The hosts of agent keep ending.');
  await expect(engine.ask('schemas', { graph_id: 'other' })).rejects.toThrow('The hosts of other keep');
  await expect(engine.ask('embed', { texts: [] })).rejects.toThrow('The hosts of all graphs keep ending.');
});
