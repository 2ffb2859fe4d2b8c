import type { ThreadField } from '@roadstead/contracts/agent-server';
import { Problem, uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { cancelReasons } from '../runs/cancel-reasons.ts';
import { losesHold } from '../access/refusal-rules.ts';
import type { Runs } from '../runs/runs.ts';
import { copyThread, readStorage, type ThreadStorage } from './thread-copy-store.ts';
import { deleteThreads, keepLatest, listOfAssistant, listVisible } from './thread-removal-store.ts';
import { ALL_FIELDS, type ThreadRow, type TtlStrategy } from './thread-row.ts';
import {
  asksForValues,
  countThreads,
  listStale,
  searchThreads,
  type ThreadFilter,
  type ThreadPage,
} from './thread-search-store.ts';
import type { ThreadStates } from './thread-states.ts';
import {
  findThread,
  insertThread,
  patchThread,
  type ThreadChange,
  type ThreadMetadata,
} from './thread-store.ts';

export interface ThreadsOptions {
  readonly db: Database;
  /** Connections for queries over many rows. */
  readonly searches: Database;
  readonly epoch: number;
  readonly runs: Pick<Runs, 'unfinished' | 'cancel' | 'ended' | 'whileIdle'>;
  readonly states: ThreadStates;
  /** Called when a thread gets an expiry. */
  readonly onExpiry: () => void;
}

export interface NewThread extends ThreadChange {
  readonly thread_id?: string | null | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** How long to wait for cancelled runs. */
const CANCEL_MS = 10_000;
/** How many outdated values of a page are requested from graph hosts. */
const MAX_REFRESHED = 100;
const AT_ONCE = 4;
/** How far beyond a page its total is exact. */
const COUNTED = 10_000;

export interface FoundThreads {
  readonly rows: readonly ThreadRow[];
  /** The offset of the page that follows. */
  readonly next: number | null;
  /** Exact below ten thousand beyond the page. */
  readonly total: number;
}

/**
 * The threads of a deployment. `within` is what the metadata of a thread must contain for the caller to see it.
 *
 * A client, or the first run on it, makes a thread as `idle`. It is `busy` as long as it has an unfinished run, which
 * is derived from the runs and never written. The end of a run that was under way writes the other states, in the same
 * commit: `interrupted` where the graph asks something or has nodes left, `error` where it failed or took too long,
 * else `idle`, also after a cancel. A run that is rolled back leaves the thread unchanged. A client that writes a state
 * makes it `interrupted` where nodes are left, else `idle`; an answer to a task's question makes it `idle`.
 */
export class Threads {
  readonly #options: ThreadsOptions;

  constructor(options: ThreadsOptions) {
    this.#options = options;
  }

  /** Undefined where the id is taken. */
  async create({ thread_id, metadata, ttl }: NewThread): Promise<string | undefined> {
    const id = thread_id ?? uuidv7();
    const { graph_id: graph } = metadata;
    const graph_id = typeof graph === 'string' ? graph : null;
    const created = await insertThread(this.#options.db, { thread_id: id, graph_id, metadata, ttl });
    if (created && ttl !== null) this.#options.onExpiry();
    return created ? id : undefined;
  }

  /**
   * Reads a thread with its values: where they are outdated, its graph is asked.
   * @throws Problem `not_found`
   */
  async read(thread_id: string, within: object): Promise<ThreadRow> {
    const row = await this.find(thread_id, within);
    if (row === undefined) throw noThread();
    return (await this.#options.states.refresh(row)) ? await this.read(thread_id, within) : row;
  }

  find(thread_id: string, within: object): Promise<ThreadRow | undefined> {
    return findThread(this.#options.db, { thread_id, within });
  }

  /** @throws Problem `not_found`; `forbidden` where the caller would not see it any more */
  async patch(thread_id: string, change: ThreadChange & { readonly within: object }): Promise<void> {
    if (!(await patchThread(this.#options.db, { thread_id, ...change })))
      throw (await this.find(thread_id, change.within)) === undefined ? noThread() : losesHold();
    if (change.ttl !== null) this.#options.onExpiry();
  }

  async search(filter: ThreadFilter, page: ThreadPage): Promise<FoundThreads> {
    const { searches } = this.#options;
    await this.#bringValues(filter);
    const find = () => searchThreads(searches, { filter, page });
    const first = await find();
    const { rows, more } = (await this.#refreshed(first.rows, page)) ? await find() : first;
    const end = page.offset + rows.length;
    const isBehind = rows.length === 0 && page.offset > 0;
    const total = more || isBehind ? await countThreads(searches, { filter, most: end + COUNTED }) : end;
    return { rows, next: more ? end : null, total };
  }

  async count(filter: ThreadFilter): Promise<number> {
    await this.#bringValues(filter);
    return countThreads(this.#options.searches, { filter });
  }

  /**
   * Copies a thread with the given metadata, and answers the copy's id.
   * @throws Problem `not_found`
   */
  async copy(from: string, to: ThreadMetadata): Promise<void> {
    const { thread_id, metadata } = to;
    if (!(await copyThread(this.#options.searches, { from, to: thread_id, metadata }))) throw noThread();
  }

  /**
   * Deletes threads, or all but their newest state. Runs on a deleted thread are cancelled; a thread that stays loses
   * nothing while it runs.
   * @returns how many were pruned
   */
  async prune(
    ids: readonly string[],
    { within, strategy }: { readonly within: object; readonly strategy: TtlStrategy },
  ): Promise<number> {
    const { searches, epoch, runs } = this.#options;
    const visible = await listVisible(searches, { ids, within });
    if (strategy === 'delete') return (await this.#removeAll(visible)).length;
    let pruned = 0;
    for (const thread_id of visible)
      if (await runs.whileIdle(thread_id, () => keepLatest(searches, { thread_id, epoch })).catch(unlessBusy))
        pruned += 1;
    return pruned;
  }

  /**
   * Removes threads that have been idle for a while, all at once. Answers how many; none where a run begins meanwhile.
   */
  async removeIdle(ids: readonly string[]): Promise<number> {
    const { searches, epoch, runs } = this.#options;
    const removeAll = async () => (await deleteThreads(searches, { ids, epoch })).length;
    const inTurn = ids.reduce((work, id) => () => runs.whileIdle(id, work), removeAll);
    return (await inTurn().catch(unlessBusy)) || 0;
  }

  /** @throws Problem `not_found`; `conflict` where a run of it does not end. */
  async remove(thread_id: string, within: object): Promise<void> {
    const visible = await listVisible(this.#options.searches, { ids: [thread_id], within });
    if (visible.length === 0) throw noThread();
    if ((await this.#removeAll(visible)).length === 0)
      throw new Problem('conflict', 'A run of the thread was cancelled and has not ended yet; try again.');
  }

  /** Removes the threads that were made for an assistant. */
  async removeOfAssistant(assistant_id: string, within: object): Promise<void> {
    await this.#removeAll(await listOfAssistant(this.#options.searches, { assistant_id, within }));
  }

  storage(thread_id: string): Promise<ThreadStorage> {
    return readStorage(this.#options.searches, thread_id);
  }

  async #removeAll(ids: readonly string[]): Promise<string[]> {
    const { searches, epoch, runs } = this.#options;
    const removed: string[] = [];
    for (const thread_id of ids) {
      await this.#cancelRuns(thread_id);
      const gone = await runs
        .whileIdle(thread_id, () => deleteThreads(searches, { ids: [thread_id], epoch }))
        .catch(unlessBusy);
      removed.push(...(gone ? gone : []));
    }
    return removed;
  }

  async #cancelRuns(thread_id: string): Promise<void> {
    const { runs } = this.#options;
    const late = AbortSignal.timeout(CANCEL_MS);
    // The last first, so that none of them begins in the meantime.
    for (const run_id of runs.unfinished(thread_id).toReversed())
      if (await runs.cancel(run_id, { action: 'interrupt', reason: cancelReasons.thread_deleted }))
        await runs.ended(run_id, late).catch(() => undefined);
  }

  async #refreshed(rows: readonly ThreadRow[], { fields, extract }: ThreadPage): Promise<boolean> {
    const wanted = fields.includes('values') || extract.some(({ root }) => root === 'values');
    const stale = wanted ? rows.filter((row) => row.values_stale && row.has_checkpoint) : [];
    return this.#refresh(stale.slice(0, MAX_REFRESHED));
  }

  /** Refreshes values before a search by values; threads whose values remain unknown are not found. */
  async #bringValues(filter: ThreadFilter): Promise<void> {
    if (asksForValues(filter))
      await this.#refresh(await listStale(this.#options.searches, { filter, most: MAX_REFRESHED }));
  }

  /** True if any values became known. */
  async #refresh(rows: readonly ThreadRow[]): Promise<boolean> {
    const waiting = [...rows];
    let refreshed = false;
    const work = async () => {
      for (let row = waiting.shift(); row !== undefined; row = waiting.shift())
        if (await this.#options.states.refresh(row)) refreshed = true;
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return refreshed;
  }
}

export const noThread = () => new Problem('not_found', 'There is no such thread.');

/** The fields that a caller asks for, or all. */
export const fieldsOf = (select: readonly ThreadField[] | null | undefined): readonly ThreadField[] =>
  select ?? ALL_FIELDS;

function unlessBusy(error: unknown): false {
  if (error instanceof Problem && error.kind === 'conflict') return false;
  throw error;
}
