import type { HostEvent, Manifest, RunParams } from '@roadstead/contracts/host';
import { silentLog } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { Engine } from '../engine/engine.ts';
import type { EngineOptions } from '../engine/engine-options.ts';
import type { AttemptResult } from '../hosts/attempt-result.ts';
import { TaskChanges } from '../tasks/task-changes.ts';
import { Tasks } from '../tasks/tasks.ts';
import { tasksOfRuns } from '../tasks/tasks-of-runs.ts';

/** The behaviour of a graph host for an attempt; its events reach the engine. */
export type Script = (
  params: RunParams,
  emit: (events: readonly HostEvent[]) => void,
  signal?: AbortSignal,
) => Promise<AttemptResult>;

/** Tasks over a real engine whose graph host is a function; for tests. */
export class TestEngine extends Tasks implements AsyncDisposable {
  readonly engine: Engine;

  constructor(engine: Engine, changes: TaskChanges) {
    super(engine, { assistants: { find: async () => undefined }, searches: engine.db, changes });
    this.engine = engine;
  }

  get sink(): Engine['sink'] {
    return this.engine.sink;
  }

  activate(revision_id: string, manifest: Manifest): void {
    this.engine.activate(revision_id, manifest);
  }

  close(): void {
    this.engine.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine[Symbol.asyncDispose]();
  }
}

export async function openTestEngine(
  db: Database,
  script: Script,
  more: Partial<EngineOptions> = {},
): Promise<TestEngine> {
  const cancelled = new Map<string, AbortController>();
  const changes = new TaskChanges();
  const engine: Engine = await Engine.open({
    db,
    log: silentLog,
    mask: (text) => text,
    tasks: tasksOfRuns(changes),
    hosts: {
      run: async (_revision, { params }) => {
        const { run_id, attempt } = params;
        const stop = new AbortController();
        cancelled.set(`${run_id}:${attempt}`, stop);
        const emit = (events: readonly HostEvent[]) =>
          engine.sink.tell({ method: 'emit', params: { run_id, attempt, events } }, []);
        return await script(params, emit, stop.signal).finally(() =>
          cancelled.delete(`${run_id}:${attempt}`),
        );
      },
      cancel: (_revision, { run_id, attempt }) => cancelled.get(`${run_id}:${attempt}`)?.abort(),
      ask: () => Promise.reject(new Error('There is no host to ask.')),
      requireRunnable: () => undefined,
    },
    ...more,
  });
  return new TestEngine(engine, changes);
}
