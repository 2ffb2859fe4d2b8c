import type {
  AttemptRef,
  HostCalls,
  HostEvent,
  HostMessage,
  HostQuestion,
  HostTells,
  PlainMessage,
  Question,
} from '@roadstead/contracts/host';
import { keepLast, MAX_SHARED_PARTS } from '@roadstead/contracts/host-peer';
import { Problem } from '@roadstead/kit';
import type { Database, Transaction } from '@roadstead/postgres';
import type { Aside, Beside, RunSink } from '../hosts/run-sink.ts';
import { keepText } from '../json/json-text.ts';
import type { Items } from '../store/items.ts';
import { deleteCheckpoints, listTuples, readTuple } from '../checkpoints/checkpoint-store.ts';
import { readDeltas } from '../checkpoints/delta-store.ts';
import type { Urgency } from '../run-log/commit-log.ts';
import { type ShowError, shownPart } from '../runs/error-rules.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { LiveRuns } from '../runs/live-runs.ts';
import { retryOutages } from '../database/outages.ts';
import type { RunLog } from '../run-log/run-log.ts';
import { holdAttempt } from '../runs/run-store.ts';
import { noteShared } from '../runs/stored-events.ts';

export interface HostSinkOptions {
  readonly db: Database;
  readonly epoch: number;
  readonly store: Pick<Items, 'run'>;
  readonly runs: RunLog;
  readonly live: LiveRuns;
  /** The text of an exception as callers read it. */
  readonly show: ShowError;
  /** Aborted when nothing waits for the database any longer. */
  readonly closed: AbortSignal;
}

type StreamEvent = Extract<HostEvent, { kind: 'stream' }>;
type Answer = Awaited<ReturnType<RunSink['ask']>>;
type Query = Question<
  HostCalls,
  Exclude<keyof HostCalls, 'checkpoint.put' | 'checkpoint.put_writes' | 'emit'>
>;
type Write = Question<HostCalls, 'checkpoint.put' | 'checkpoint.put_writes'>;

/** Answers the queries of graph hosts and takes their reports: checkpoints, store operations, events of runs. */
export class HostSink implements RunSink {
  readonly #options: HostSinkOptions;

  constructor(options: HostSinkOptions) {
    this.#options = options;
  }

  async ask(question: HostQuestion, { blobs, aside }: Beside): Promise<Answer> {
    if (question.method === 'checkpoint.put' || question.method === 'checkpoint.put_writes') {
      await this.#write(question, blobs, 'now');
      return { result: {} };
    }
    if (question.method === 'emit') {
      this.#emitted(question.params);
      await this.#options.runs.room(question.params.run_id);
      return { result: {} };
    }
    const query = question;
    if (query.method.startsWith('checkpoint.')) await this.#options.runs.writes.caughtUp();
    // An outage of the database fails no run.
    return retryOutages(() => this.#query(query, aside), this.#options);
  }

  async #query({ method, params }: Query, aside: Aside | undefined): Promise<Answer> {
    const { db } = this.#options;
    switch (method) {
      case 'checkpoint.get':
        return readTuple(db, params);
      case 'checkpoint.list':
        return listTuples(db, params);
      case 'checkpoint.deltas':
        return readDeltas(db, params);
      case 'checkpoint.delete_thread':
        return this.#deleteThread(params);
      case 'store.batch': {
        const { operations, ...ref } = params;
        const writes = operations.some(({ op }) => op === 'put');
        const hold = writes ? (tx: Transaction) => this.#hold(tx, ref) : undefined;
        return { result: { results: await this.#options.store.run(operations, { hold, aside }) } };
      }
    }
  }

  tell(message: HostMessage, blobs: readonly Uint8Array[]): void {
    switch (message.method) {
      case 'checkpoint.put':
      case 'checkpoint.put_writes':
        this.#write(message, blobs, 'soon').catch(() => undefined);
        return;
      case 'emit':
        return this.#emitted(message.params);
      // The owner of the hosts has handled these.
      case 'done':
      case 'load':
      case 'log':
    }
  }

  async #deleteThread({
    thread_id,
    ...ref
  }: HostCalls['checkpoint.delete_thread']['params']): Promise<Answer> {
    await this.#asAttempt(ref, (tx) => deleteCheckpoints(tx, thread_id));
    return { result: {} };
  }

  /** Writes for an attempt in a transaction that keeps it the present one. */
  async #asAttempt<T>(ref: Partial<AttemptRef>, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#options.db.transaction(async (tx) => {
      await this.#hold(tx, ref);
      return work(tx);
    });
  }

  async #hold(tx: Transaction, ref: Partial<AttemptRef>): Promise<void> {
    if (!(await holdAttempt(tx, { ref, epoch: this.#options.epoch }))) throw stale();
  }

  /**
   * Reports the events of a run, except messages of people and systems, and most tool results: these are in the state.
   */
  #emitted({ run_id, attempt, events }: HostTells['emit']): void {
    const run = this.#current({ run_id, attempt });
    if (run === undefined) return;
    const { runs } = this.#options;
    for (const event of events)
      if (event.kind === 'stream') this.#streamed(run, event);
      else if (event.kind !== 'message' || isReported(event.message)) runs.report(run, event);
  }

  /** Makes the text of an event once, for the database and for all readers of the run. */
  #streamed(run: LiveRun, event: StreamEvent): void {
    const { runs, show } = this.#options;
    const part = shownPart(run.parts.whole(event), { show, reference: run.row.run_id });
    const data = part.data as readonly unknown[];
    if (event.shares !== undefined) keepText(data.at(-1));
    keepText(data);
    const part_seq = event.shared === undefined ? undefined : run.part_seqs.get(event.shared);
    if (part_seq !== undefined) noteShared(data, part_seq);
    runs.report(run, part);
    if (event.shares !== undefined)
      keepLast(run.part_seqs, { key: event.shares, value: run.seq, max: MAX_SHARED_PARTS });
  }

  /** Undefined for a stale attempt, which may write nothing. */
  #current({ run_id, attempt }: AttemptRef): LiveRun | undefined {
    const run = this.#options.live.get(run_id);
    return run?.row.attempt === attempt && run.attachment === 'attached' ? run : undefined;
  }

  // oxlint-disable-next-line roadstead/two-positional -- the parts of a frame, and how it is written
  async #write(write: Write, blobs: readonly Uint8Array[], urgency: Urgency): Promise<void> {
    const { writes } = this.#options.runs;
    const { run_id = '', attempt } = write.params;
    const run = this.#runOf(write.params);
    // A later checkpoint would build on the one that is missing.
    if (run?.write_error !== undefined) throw run.write_error;
    // The run's end, which records it, is committed with the checkpoint or after it.
    if (run?.checkpoint === 'none') run.checkpoint = 'written';
    try {
      if (write.method === 'checkpoint.put') await writes.put(run_id, { put: write.params, blobs }, urgency);
      else await writes.writes(run_id, { writes: write.params, blobs }, urgency);
    } catch (error) {
      // A refused write of an earlier attempt does not concern the present one.
      if (run !== undefined && run.row.attempt === attempt) run.write_error = error;
      throw error;
    }
  }

  /** Undefined where no run is named; a stale attempt is refused. */
  #runOf({ run_id, attempt }: Partial<AttemptRef>): LiveRun | undefined {
    if (run_id === undefined || attempt === undefined) return undefined;
    const run = this.#current({ run_id, attempt });
    if (run === undefined) throw stale();
    return run;
  }
}

const stale = () => new Problem('conflict', 'This attempt of the run is stale.');

/** Whether callers get a message: the assistant's own, and tool results that callers may see. */
const isReported = ({ role, told }: PlainMessage) => role === 'assistant' || told !== undefined;
