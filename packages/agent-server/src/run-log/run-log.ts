import { type Log, Problem } from '@roadstead/kit';
import { CommitLog } from './commit-log.ts';
import { EventLog } from './event-log.ts';
import type { EngineLife } from '../runs/engine-life.ts';
import type { LiveRun } from '../runs/live-run.ts';
import { nextEvent } from '../runs/live-run.ts';
import type { LiveRuns } from '../runs/live-runs.ts';
import type { EndedRun, Reader, RunEvent, RunReport } from '../runs/run.ts';
import { RunEnds } from './run-ends.ts';
import { type EventsOfRun, findEnd, insertEvents, readEvents } from '../runs/run-events-store.ts';
import { RunFeed } from './run-feed.ts';
import { findRun, hasEnded, isUnfinished, replaced } from '../runs/run-store.ts';
import { ThreadWatches } from '../runs/thread-watches.ts';
import { weightOfEvent } from './weight.ts';
import { commitWrites } from './write-store.ts';

export interface RunLogOptions {
  readonly life: EngineLife;
  readonly live: LiveRuns;
  readonly log: Log;
}

/** Commits what runs write and report, then passes it on to readers of a run and to those who wait for its end. */
export class RunLog implements AsyncDisposable {
  readonly writes: CommitLog;
  readonly ends = new RunEnds();
  /** Notified of begins and ends of runs. */
  readonly threads = new ThreadWatches();
  readonly #options: RunLogOptions;
  readonly #events: EventLog;
  readonly #feed = new RunFeed();
  readonly #over = new AbortController();
  #readers = 0;

  constructor(options: RunLogOptions) {
    this.#options = options;
    const { life, live, log } = options;
    const { db, epoch, closed } = life;
    this.writes = new CommitLog({
      flush: (batch) => commitWrites(db, { batch, epoch }),
      hasEnded: (finish) => hasEnded(db, finish),
      closed,
      log,
    });
    this.#events = new EventLog({
      insert: async (told) => {
        const records = told.flatMap(({ run_id, events }) =>
          rowsOf(events).map((row) => recordOf({ run_id, events: row }, live.get(run_id))),
        );
        if (await insertEvents(db, { records, epoch })) return;
        life.end();
        throw replaced();
      },
      publish: (run_id, events) => {
        const run = live.get(run_id);
        if (run !== undefined) run.task = run.task?.fold(events);
        this.#feed.publish(run_id, events);
        if (run !== undefined && events.some(({ kind }) => kind === 'started'))
          this.threads.notify(run.row.thread_id);
      },
      onRefused: (run_id, error) => {
        const run = live.get(run_id);
        if (run !== undefined) run.write_error ??= error;
      },
      closed,
      log,
    });
  }

  /** Aborted when streams and waiting clients end. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Whether anybody reads or waits. */
  get isRead(): boolean {
    return this.#readers > 0 || this.#feed.isFollowed || this.ends.isAwaited;
  }

  /** Registers a reader until `over`, even if nothing happens. */
  reading(): { readonly over: AbortSignal } & Disposable {
    this.#readers += 1;
    return { over: this.over, [Symbol.dispose]: () => void (this.#readers -= 1) };
  }

  /** Ends all readers and waits: streams continue from what is stored, where the runs are. */
  end(): void {
    this.#over.abort();
  }

  /** Reports what has happened in a run; its readers get it once it is committed. */
  report(run: LiveRun, report: RunReport): void {
    this.#events.add(run.row.run_id, [nextEvent(run, report)]);
  }

  /** Resolves once nearly all events of a run are committed. */
  room(run_id: string): Promise<void> {
    return this.#events.room(run_id);
  }

  /** Removes and answers the uncommitted events of a run. */
  takeUncommitted(run: LiveRun): Promise<readonly RunEvent[]> {
    return this.#events.take(run.row.run_id);
  }

  /** Passes on a run's end, which is committed. */
  publishEnd(ended: EndedRun, events: readonly RunEvent[]): void {
    this.#feed.publish(ended.run.run_id, events);
    this.ends.publish(ended);
    this.threads.notify(ended.run.thread_id);
  }

  follow(
    run_id: string,
    { after_seq, signal, onBehind }: Reader & { readonly after_seq: number },
  ): AsyncIterable<RunEvent> {
    const until = AbortSignal.any([signal, this.#over.signal]);
    const { live } = this.#options;
    const { db } = this.#options.life;
    const stored = async (seq: number) => {
      const page = await readEvents(db, { run_id, after_seq: seq });
      if (page.events.length > 0 || live.get(run_id) !== undefined || (await isUnfinished(db, { run_id })))
        return page;
      // The end may have come between the two: a reader that has it, or whose run is gone, waits for nothing.
      const rest = await readEvents(db, { run_id, after_seq: seq });
      return rest.events.length > 0 ? rest : undefined;
    };
    return this.#feed.follow(run_id, { after_seq, stored, signal: until, onBehind });
  }

  /** @throws Problem `unavailable` when the engine closes first, or the signal is aborted; `not_found` */
  async ended(run_id: string, signal: AbortSignal): Promise<EndedRun> {
    using end = this.ends.wait(run_id, AbortSignal.any([signal, this.#over.signal]));
    // Registered first, read second: an end in between is seen by one of them.
    const known = this.#options.live.get(run_id) === undefined ? await this.#storedEnd(run_id) : undefined;
    const ended = known ?? (await end.promise);
    if (ended === undefined)
      throw new Problem('unavailable', 'This agent stops; the run is kept, so ask for it again later.');
    return ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.writes[Symbol.asyncDispose]();
    this.end();
  }

  async #storedEnd(run_id: string): Promise<EndedRun | undefined> {
    const { db } = this.#options.life;
    const run = await findRun(db, run_id);
    if (run === undefined) throw new Problem('not_found', 'There is no such run.');
    if (run.status === 'pending' || run.status === 'running') return undefined;
    const told = await findEnd(db, run_id);
    return {
      run,
      end: told ?? { status: run.status, interrupts: [], ...(run.error ? { error: run.error } : {}) },
    };
  }
}

/** The size of a row, which is read as a whole. */
const MAX_ROW_BYTES = 262_144;

function rowsOf(events: readonly RunEvent[]): readonly (readonly RunEvent[])[] {
  const rows: RunEvent[][] = [];
  let room = 0;
  for (const event of events) {
    const weight = weightOfEvent(event, MAX_ROW_BYTES);
    room -= weight;
    if (room < 0) {
      rows.push([]);
      room = MAX_ROW_BYTES - weight;
    }
    rows.at(-1)?.push(event);
  }
  return rows;
}

/** A row of events, with the state of the run's task once the run is under way. */
function recordOf(
  { run_id, events }: { readonly run_id: string; readonly events: readonly RunEvent[] },
  run: LiveRun | undefined,
): EventsOfRun {
  const begun = events.findIndex((event) => event.kind === 'started');
  const row = begun < 0 ? undefined : run?.task?.fold(events.slice(0, begun + 1)).row;
  const task = row === undefined ? null : { task_id: row.task_id, status: row.status, seq: row.seq };
  return { run_id, attempt: run?.row.attempt ?? 0, events, task };
}
