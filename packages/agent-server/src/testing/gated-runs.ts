import type { Manifest } from '@roadstead/contracts/host';
import { assistantIdOf, uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { useFixturePerTest } from '@roadstead/testing';
import { afterEach } from 'vitest';
import type { Engine } from '../engine/engine.ts';
import type { EngineOptions } from '../engine/engine-options.ts';
import type { NewRun } from '../runs/run.ts';
import { engineDatabase } from './engine-database.ts';
import { openTestEngine, type Script } from './test-engine.ts';

/** Engines with runs that belong to no task, each of which waits at a gate. */

const graph = { graph_id: 'agent', description: null, channels: ['messages'], has_messages: true };
export const manifest = { graphs: [graph], http: {}, langgraph_version: null } as unknown as Manifest;
/** The signal of a caller who never leaves. */
export const never = new AbortController().signal;

export function runOf(name: string, thread: NewRun['thread'], more: Partial<NewRun> = {}): NewRun {
  return {
    thread,
    assistant_id: assistantIdOf('agent'),
    graph_id: 'agent',
    principal: 'workspace:w',
    kwargs: { input: name },
    metadata: {},
    multitask_strategy: 'enqueue',
    chunks: false,
    plain: false,
    values: true,
    ...more,
  };
}

export const fresh = (): NewRun['thread'] => ({ thread_id: uuidv7(), create: { metadata: {} } });

/** Opens engines, which are closed after the test, and gates, which open before that. */
export function useGatedRuns() {
  const stack = useFixturePerTest(() => new AsyncDisposableStack());
  const left: PromiseWithResolvers<void>[] = [];
  afterEach(() => {
    for (const gate of left.splice(0)) gate.resolve();
  });

  /** Ends when it is told to, or cancelled; says its input. */
  function gated() {
    const gates = new Map<string, PromiseWithResolvers<void>>();
    const began: string[] = [];
    const gateOf = (name: string) => {
      const gate = gates.get(name) ?? Promise.withResolvers<void>();
      gates.set(name, gate);
      left.push(gate);
      return gate;
    };
    const script: Script = async ({ input }, _emit, signal) => {
      const name = String(input);
      began.push(name);
      const stopped = new Promise<'stopped'>((resolve) =>
        signal?.addEventListener('abort', () => resolve('stopped')),
      );
      const how = await Promise.race([gateOf(name).promise, stopped]);
      return how === 'stopped'
        ? { outcome: 'cancelled', reason: 'cancel' }
        : { outcome: 'success', interrupts: [], output: null, values: { said: name } };
    };
    return { script, began, open: (name: string) => gateOf(name).resolve() };
  }

  // oxlint-disable-next-line roadstead/two-positional -- hosts, a database that is there, and the rest
  async function opened(
    script: Script,
    db?: Database,
    more: Partial<EngineOptions> = {},
  ): Promise<{ engine: Engine; db: Database }> {
    const database = db ?? stack().use(await engineDatabase()).db;
    const { engine } = stack().use(await openTestEngine(database, script, more));
    engine.activate(uuidv7(), manifest);
    return { engine, db: database };
  }

  return { stack, gated, opened };
}
