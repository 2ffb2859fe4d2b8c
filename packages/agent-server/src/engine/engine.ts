import type { EngineCalls, Manifest } from '@roadstead/contracts/host';
import { Problem, uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { supersededBy } from '../runs/cancel-reasons.ts';
import { ServedRevision } from './served-revision.ts';
import type { RunSink } from '../hosts/run-sink.ts';
import type { EngineOptions } from './engine-options.ts';
import { showErrorBy } from '../runs/error-rules.ts';
import { HostSink } from './host-sink.ts';
import { EngineLife } from '../runs/engine-life.ts';
import { type LiveRun, liveRunOf } from '../runs/live-run.ts';
import { LiveRuns } from '../runs/live-runs.ts';
import { LostRuns } from './lost-runs.ts';
import { beginRecordOf, runOf } from './new-runs.ts';
import type { RunRow } from '../runs/records.ts';
import type { EndedRun, NewRun, Reader, Run, RunEvent } from '../runs/run.ts';
import { RunDriver } from './run-driver.ts';
import { RunFinisher } from './run-finisher.ts';
import { RunIntake } from './run-intake.ts';
import { RunLog } from '../run-log/run-log.ts';
import { RunSchedule } from './run-schedule.ts';
import { StoredRuns } from './stored-runs.ts';
import { Suspicions } from './suspicions.ts';
import { withoutIndex } from '../store/items.ts';
import { findRun, findThread, listQueue, markCancelled, replaced } from '../runs/run-store.ts';
import type { CancelOptions, Runs } from '../runs/runs.ts';
import type { ThreadWatch } from '../runs/thread-watches.ts';

/**
 * The runs of one deployment, durable in its database.
 *
 * Opening the engine raises the epoch in the database. Every statement that begins or ends something names its epoch,
 * so that a replaced engine can change nothing. It notices by a refused statement or by a regular check; it then drives
 * nothing more and ends its readers, so that they reconnect to the engine that has the runs. A run is committed
 * together with its thread and task where these are new (`create`), and put into the queue of its thread
 * (`RunSchedule`). The first run of a queue is driven (`RunDriver`); when it has ended, the next one is. Whatever runs
 * write and report is committed before anybody sees it (`RunLog`).
 *
 * Unfinished runs are rows of the table `queue`. After a start, and whenever the answer to a commit was lost, the
 * engine reads the table and adopts the runs that it does not hold, each as a new attempt. Closing leaves unfinished
 * runs in the queue.
 */
export class Engine implements Runs, AsyncDisposable {
  /** The requests and messages of graph hosts. */
  readonly sink: RunSink;
  readonly serving = new ServedRevision();
  readonly #options: EngineOptions;
  readonly #life: EngineLife;
  readonly #live = new LiveRuns();
  readonly #stored: StoredRuns;
  readonly #log: RunLog;
  readonly #schedule: RunSchedule;
  readonly #intake: RunIntake;
  /** All that ends with the engine. */
  readonly #opened = new AsyncDisposableStack();

  static async open(options: EngineOptions): Promise<Engine> {
    const engine = new Engine(options, await EngineLife.begin(options.db, options.signal));
    await engine.#stored.rollBackEnded();
    for (const row of await listQueue(options.db)) {
      const before = engine.unfinished(row.thread_id);
      await engine.#intake.adopt(row);
      await engine.#preempt(row, before);
    }
    return engine;
  }

  private constructor(options: EngineOptions, life: EngineLife) {
    const { hosts, tasks, limits, mask, onFailure = () => undefined, expose_errors = false, log } = options;
    const { requireRoom = () => undefined } = options;
    this.#options = options;
    this.#life = life;
    const { db, epoch, closed } = life;
    const { serving } = this;
    const live = this.#live;
    const suspicions = new Suspicions();
    const runs = this.#opened.use(new RunLog({ life, live, log }));
    const stored = new StoredRuns({ life, tasks, suspicions });
    const finisher = new RunFinisher({ runs, live, stored, log });
    const errors = { onFailure, expose_errors, mask, log };
    const driver = new RunDriver({ life, hosts, serving, runs, finisher, ...errors });
    const schedule = new RunSchedule({ live, driver, finisher, stored, suspicions, log });
    const intake = new RunIntake({ life, live, hosts, requireRoom, tasks, limits, schedule, suspicions });
    this.#log = runs;
    this.#stored = stored;
    this.#schedule = schedule;
    this.#intake = intake;
    this.#opened.use(new LostRuns({ db, suspicions, intake, schedule, log }));
    this.#opened.defer(() => schedule.close());
    this.#opened.defer(() => intake.idle());
    const { store = withoutIndex(db) } = options;
    this.sink = new HostSink({ db, epoch, store, runs, live, closed, show: showErrorBy(errors) });
    life.replaced.addEventListener('abort', () => this.#stepDown(), { once: true });
    const looking = setInterval(() => {
      if (!live.isEmpty || runs.isRead) void life.check().catch(() => undefined);
    }, options.look_ms ?? LOOK_MS).unref();
    this.#opened.defer(() => clearInterval(looking));
  }

  get db(): Database {
    return this.#life.db;
  }

  /** The number of this engine's life; the database refuses writes of earlier ones. */
  get epoch(): number {
    return this.#life.epoch;
  }

  /** New runs, and unfinished ones of other revisions, go to this revision from here on. */
  activate(revision_id: string, manifest: Manifest): void {
    this.serving.activate(revision_id, manifest);
  }

  async create(request: NewRun): Promise<Run> {
    const run = await this.begin(request);
    if (run === undefined) throw replaced();
    return run;
  }

  /** Undefined where another caller has begun, or answered, the run's task. */
  async begin(request: NewRun): Promise<Run | undefined> {
    const { revision_id } = this.serving.read(request);
    const { thread, multitask_strategy: strategy, task } = request;
    if (this.over.aborted) throw replaced();
    return await this.#intake.enter(request, async (commit) => {
      const before = this.unfinished(thread.thread_id);
      if (before.length > 0 && strategy === 'reject') throw busy();
      const known = await this.#known(request);
      const record = beginRecordOf(request, { run_id: request.run_id ?? uuidv7(), revision_id });
      const run = liveRunOf(record.run, { ...known, task: task?.projection });
      if (!(await commit(run, record))) {
        await this.#life.check();
        return undefined;
      }
      await this.#preempt(record.run, before);
      return runOf(record.run);
    });
  }

  find(run_id: string): Promise<Run | undefined> {
    return findRun(this.db, run_id);
  }

  events(run_id: string, options: Reader & { readonly after_seq: number }): AsyncIterable<RunEvent> {
    return this.#log.follow(run_id, options);
  }

  async ended(run_id: string, signal: AbortSignal): Promise<EndedRun> {
    const ended = await this.#log.ended(run_id, signal);
    await this.#schedule.rolledBack(run_id);
    return ended;
  }

  onEnded(listener: (ended: EndedRun) => void): Disposable {
    return this.#log.ends.listen(listener);
  }

  async cancel(run_id: string, { action, reason }: CancelOptions): Promise<boolean> {
    const wish = { run_id, cancel: { action, reason }, epoch: this.epoch };
    const cancel = await markCancelled(this.db, wish);
    if (cancel === undefined) {
      await this.#life.check();
      if (this.over.aborted) throw replaced();
      return false;
    }
    if (!this.#schedule.cancel(run_id, cancel)) await this.#stored.findMissing();
    return true;
  }

  isBusy(thread_id: string): boolean {
    return this.#schedule.of(thread_id).length > 0;
  }

  whileIdle<T>(thread_id: string, work: () => Promise<T>): Promise<T> {
    return this.#intake.exclude(thread_id, async () => {
      if (this.over.aborted) throw replaced();
      if (this.isBusy(thread_id)) throw busy();
      const done = await work();
      this.#log.threads.notify(thread_id);
      return done;
    });
  }

  watch(thread_id: string, signal: AbortSignal): ThreadWatch {
    const reading = this.reading();
    const watch = this.#log.threads.watch(thread_id, AbortSignal.any([signal, reading.over]));
    const dispose = () => {
      watch[Symbol.dispose]();
      reading[Symbol.dispose]();
    };
    return { next: () => watch.next(), [Symbol.dispose]: dispose };
  }

  unfinished(thread_id: string): readonly string[] {
    return this.#schedule.of(thread_id).map(({ row }) => row.run_id);
  }

  /** An unfinished run, with its task as of its last committed event. */
  live(run_id: string): LiveRun | undefined {
    return this.#live.get(run_id);
  }

  /** The unfinished run that works at a task. */
  liveOfTask(task_id: string): LiveRun | undefined {
    return this.#live.ofTask(task_id);
  }

  async ask<M extends keyof EngineCalls>(
    method: M,
    params: EngineCalls[M]['params'],
  ): Promise<EngineCalls[M]['result']> {
    const { revision_id } = this.serving;
    if (revision_id === undefined)
      throw new Problem('unavailable', 'No revision of this deployment is active.');
    const { hosts } = this.#options;
    hosts.requireRunnable('graph_id' in params ? params.graph_id : undefined);
    return await hosts.ask(revision_id, method, params);
  }

  /** Aborted when streams and waiting clients end. */
  get over(): AbortSignal {
    return this.#log.over;
  }

  /** Registers a reader until `over`, even if nothing happens. */
  reading(): { readonly over: AbortSignal } & Disposable {
    return this.#log.reading();
  }

  /** From here on nothing new begins; present runs may end. */
  close(): void {
    this.#life.beginClosing();
  }

  /** Stops taking work, waits for what is being written, and leaves unfinished runs to the next engine. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    this.#life.close();
    await this.#opened.disposeAsync();
  }

  /** Stops driving runs, because another engine has them. */
  #stepDown(): void {
    if (this.over.aborted) return;
    const message = 'another engine has taken the deployment over; this one drives no more runs';
    this.#options.log.warn(message, { epoch: this.epoch });
    this.#schedule.abandon();
    this.#log.end();
  }

  async #known({
    thread,
  }: NewRun): Promise<{ readonly has_checkpoint: boolean; readonly may_be_interrupted?: boolean }> {
    if (thread.has_checkpoint !== undefined) return { has_checkpoint: thread.has_checkpoint };
    const known = await findThread(this.db, thread.thread_id);
    if (known === undefined && thread.create === undefined)
      throw new Problem('not_found', 'There is no such thread.');
    const { has_checkpoint = false, interrupts = [] } = known ?? {};
    return { has_checkpoint, may_be_interrupted: interrupts.length > 0 };
  }

  /** Ends the runs before a new one whose strategy asks for that. */
  async #preempt({ run_id, multitask_strategy: action }: RunRow, before: readonly string[]): Promise<void> {
    if (action !== 'interrupt' && action !== 'rollback') return;
    const reason = supersededBy(run_id, action);
    for (const one of before) await this.cancel(one, { action, reason });
  }
}

const LOOK_MS = 10_000;

const busy = () =>
  new Problem('conflict', 'The thread has a run that has not ended.', { code: 'thread_busy' });
