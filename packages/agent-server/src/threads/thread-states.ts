import type {
  AuthUser,
  CheckpointRef,
  EngineCalls,
  RunInterrupt,
  ThreadState,
} from '@roadstead/contracts/host';
import { RemoteError } from '@roadstead/contracts/host-peer';
import { type Log, Problem } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { type ErrorRules, showErrorBy, shownState } from '../runs/error-rules.ts';
import type { Runs } from '../runs/runs.ts';
import type { ThreadRow } from './thread-row.ts';
import { keepValues, patchCheckpoint, saveState } from './thread-store.ts';

export interface ThreadStatesOptions extends ErrorRules {
  readonly db: Database;
  readonly runs: Pick<Runs, 'ask' | 'whileIdle' | 'isBusy'>;
  /** Whether a graph is being served. */
  readonly isServed: (graph_id: string) => boolean;
  readonly log: Log;
}

/** A thread that a caller sees. */
export interface SeenThread {
  readonly row: ThreadRow;
  readonly user: AuthUser | null;
}

/** The errors with which LangGraph itself refuses an update; other errors are the graph's own, and for its log. */
const REFUSALS = new Set([
  'InvalidUpdateError',
  'EmptyChannelError',
  'EmptyInputError',
  'NodeNotFoundError',
  'ThreadLanguageError',
]);

type Supersteps = EngineCalls['state.update']['params']['supersteps'];

/** The state of a thread on which nothing has run. */
const EMPTY: ThreadState = {
  values: {},
  next: [],
  tasks: [],
  checkpoint: null,
  parent_checkpoint: null,
  metadata: {},
  created_at: null,
  interrupts: [],
};

/** The states of threads. Only their graph can interpret checkpoints, so a graph host is asked. */
export class ThreadStates {
  readonly #options: ThreadStatesOptions;

  constructor(options: ThreadStatesOptions) {
    this.#options = options;
  }

  async read(
    seen: SeenThread,
    at: { readonly checkpoint?: CheckpointRef | undefined; readonly subgraphs?: boolean } = {},
  ): Promise<ThreadState> {
    const ref = this.#refOf(seen);
    if (ref === undefined) return EMPTY;
    const { checkpoint, subgraphs = false } = at;
    const state = await this.#ask('state.get', { ...ref, ...(checkpoint ? { checkpoint } : {}), subgraphs });
    return shownState(state, showErrorBy(this.#options));
  }

  async list(
    seen: SeenThread,
    asked: Omit<EngineCalls['state.history']['params'], 'thread_id' | 'graph_id'>,
  ): Promise<readonly ThreadState[]> {
    const ref = this.#refOf(seen);
    if (ref === undefined) return [];
    const { states } = await this.#ask('state.history', { ...ref, ...asked });
    const show = showErrorBy(this.#options);
    return states.map((state) => shownState(state, show));
  }

  /**
   * Writes supersteps into the state, as if nodes of the graph had returned them.
   * @returns the new checkpoint
   * @throws Problem `conflict` while a run of the thread has not ended
   */
  async update(
    seen: SeenThread,
    change: { readonly checkpoint?: CheckpointRef | undefined; readonly supersteps: Supersteps },
  ): Promise<CheckpointRef> {
    const { thread_id, graph_id } = seen.row;
    if (graph_id === null)
      throw new Problem('invalid', 'The thread belongs to no graph yet.', {
        hint: 'Create it with `graph_id` in its metadata, or start a run on it first.',
      });
    const ref = this.#ref(seen, graph_id);
    const { checkpoint, supersteps } = change;
    return this.#options.runs.whileIdle(thread_id, async () => {
      const written = await this.#ask('state.update', {
        ...ref,
        ...(checkpoint ? { checkpoint } : {}),
        supersteps,
      });
      const state = await this.#ask('state.get', { ...ref, subgraphs: false });
      await saveState(this.#options.db, {
        thread_id,
        graph_id,
        status: state.next.length > 0 ? 'interrupted' : 'idle',
        values: state.values,
        interrupts: questionsOf(state),
      });
      return written.checkpoint;
    });
  }

  /** Merges metadata into the newest checkpoint. @throws Problem `invalid` where there is none */
  async patch(thread_id: string, metadata: object): Promise<void> {
    if (!(await patchCheckpoint(this.#options.db, { thread_id, metadata })))
      throw new Problem('invalid', 'The thread has no state yet.');
  }

  /**
   * Asks a graph host for values that the last run did not report. False where there are none, or no host can answer.
   */
  async refresh(row: ThreadRow): Promise<boolean> {
    if (!row.values_stale || row.status === 'busy') return false;
    if (row.graph_id === null || !this.#options.isServed(row.graph_id)) return false;
    try {
      const ref = this.#refOf({ row, user: null });
      if (ref === undefined) return false;
      const { values } = await this.#ask('state.get', { ...ref, subgraphs: false });
      return await keepValues(this.#options.db, { seen: row, values });
    } catch (error) {
      this.#options.log.warn('a graph host could not be asked for the values of a thread', {
        thread_id: row.thread_id,
        error,
      });
      return false;
    }
  }

  /** Undefined where there is no state to ask for. */
  #refOf(seen: SeenThread) {
    const { thread_id, has_checkpoint, graph_id } = seen.row;
    // The row learns of checkpoints when a run ends; its first run has written some before.
    const may_have = has_checkpoint || this.#options.runs.isBusy(thread_id);
    return may_have && graph_id !== null ? this.#ref(seen, graph_id) : undefined;
  }

  #ref({ row, user }: SeenThread, graph_id: string) {
    if (!this.#options.isServed(graph_id))
      throw new Problem(
        'not_found',
        `The graph of this thread, ${JSON.stringify(graph_id)}, is not served now.`,
      );
    const { configurable = {} } = JSON.parse(row.config) as { configurable?: Record<string, unknown> };
    return { thread_id: row.thread_id, graph_id, configurable, ...(user === null ? {} : { user }) };
  }

  async #ask<M extends 'state.get' | 'state.update' | 'state.history'>(
    method: M,
    params: EngineCalls[M]['params'],
  ): Promise<EngineCalls[M]['result']> {
    try {
      return await this.#options.runs.ask(method, params);
    } catch (cause) {
      if (!(cause instanceof RemoteError)) throw cause;
      const { log, mask } = this.#options;
      log.warn('a graph did not answer with its state', {
        method,
        thread_id: params.thread_id,
        error: cause,
      });
      throw REFUSALS.has(cause.name)
        ? new Problem('invalid', mask(cause.message), { cause })
        : new Problem('invalid', 'The graph failed; the reason is in the log.', { cause });
    }
  }
}

/** The open questions of a state, each with the task that asks. */
function questionsOf({ tasks }: ThreadState): RunInterrupt[] {
  return tasks.flatMap(({ id, interrupts }) => interrupts.map((one) => ({ ...one, task_id: id })));
}
