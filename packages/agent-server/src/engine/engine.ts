import type { EngineCalls, Manifest } from '@roadstead/contracts/host';
import { type Database, Problem, uuidv7 } from '@roadstead/kit';
import { supersededBy } from '../runs/cancel-reasons.ts';
import { ServedRevision } from './served-revision.ts';
import type { RunSink } from '../hosts/run-sink.ts';
import type { EngineOptions } from './engine-options.ts';
import { showErrorBy } from '../runs/error-rules.ts';
import { HostSink } from './host-sink.ts';
import { type LiveRun, liveRunOf } from '../runs/live-run.ts';
import { LostRuns } from './lost-runs.ts';
import { adoptedRun, beginRecordOf, runOf } from './new-runs.ts';
import type { BeginRecord, CancelRecord, RunRow } from '../runs/records.ts';
import type { EndedRun, NewRun, Reader, Run, RunEvent } from '../runs/run.ts';
import { RunDriver } from './run-driver.ts';
import { RunFinisher } from './run-finisher.ts';
import { RunIntake } from './run-intake.ts';
import { RunLog } from '../run-log/run-log.ts';
import { RunSchedule } from './run-schedule.ts';
import { withoutIndex } from '../store/items.ts';
import { retryOutages } from '../database/outages.ts';
import {
  findCancel,
  findRun,
  findThread,
  isCurrent,
  isUnfinished,
  listQueue,
  markCancelled,
  replaced,
  takeEpoch,
} from '../runs/run-store.ts';
import { listAskedBefore, listRolledBack, rollBack } from '../runs/rollback-store.ts';
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
  readonly db: Database;
  /** The number of this engine's life; the database refuses writes of earlier ones. */
  readonly epoch: number;
  /** The requests and messages of graph hosts. */
  readonly sink: RunSink;
  readonly serving = new ServedRevision();
  readonly #options: EngineOptions;
  readonly #intake: RunIntake;
  readonly #log: RunLog;
  readonly #driver: RunDriver;
  readonly #schedule: RunSchedule;
  readonly #lost: LostRuns;
  readonly #looking: NodeJS.Timeout;
  /** Aborted when the database is not waited for any more. */
  readonly #stopping = new AbortController();

  static async open(options: EngineOptions): Promise<Engine> {
    const engine = new Engine(options, await takeEpoch(options.db, options.signal));
    await engine.#rollBackEnded();
    for (const row of await listQueue(options.db)) {
      const before = engine.unfinished(row.thread_id);
      await engine.#adopt(row);
      await engine.#preempt(row, before);
    }
    return engine;
  }

  private constructor(options: EngineOptions, epoch: number) {
    const { db, log, hosts, mask, onFailure = () => undefined, expose_errors = false } = options;
    this.#options = options;
    this.db = db;
    this.epoch = epoch;
    const { signal: closed } = this.#stopping;
    const live = (run_id: string) => this.#schedule.live(run_id);
    const onReplaced = () => this.#stepDown();
    this.#log = new RunLog({ db, epoch, live, closed, onReplaced, log });
    const finisher = new RunFinisher({
      runs: this.#log,
      askedBefore: ({ run_id }) => listAskedBefore(db, run_id),
      notedCancel: (row) => retryOutages(() => findCancel(db, row), { closed }),
      onEnd: (run) => this.#schedule.forget(run),
      log,
    });
    const activeRevision = () => this.serving.revision_id;
    const failing = { onFailure, expose_errors, mask, log };
    const carrying = { db, epoch, hosts, finisher, activeRevision };
    this.#driver = new RunDriver({ ...carrying, ...failing, runs: this.#log });
    this.#lost = new LostRuns({
      db,
      isHeld: ({ run_id }) => this.#intake.isBeginning(run_id) || live(run_id) !== undefined,
      adopt: (row) => this.#adopt(row),
      cancel: (run_id, cancel) => this.#stop(run_id, cancel),
      log,
    });
    this.#schedule = new RunSchedule({
      driver: this.#driver,
      finisher,
      rollBack: (row) => this.#rollBack(row),
      continueTask: (run) => this.#continueTask(run),
      hasCheckpoint: async (thread_id) => (await findThread(db, thread_id))?.has_checkpoint ?? true,
      onLost: () => this.#lost.suspect(),
      log,
    });
    this.#intake = new RunIntake({
      db,
      epoch,
      admission: options,
      onTaken: (run) => this.#schedule.add(run),
      onUnsure: () => this.#lost.suspect(),
    });
    const { store = withoutIndex(db) } = options;
    const show = showErrorBy({ mask, expose_errors });
    this.sink = new HostSink({ db, epoch, store, runs: this.#log, live, closed, show });
    this.#looking = setInterval(() => {
      if (!this.#schedule.isEmpty || this.#log.isRead) void this.#look().catch(() => undefined);
    }, options.look_ms ?? LOOK_MS).unref();
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
        await this.#look();
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
      await this.#look();
      if (this.over.aborted) throw replaced();
      return false;
    }
    // A run that is missing here has ended meanwhile, or is found later and ended then.
    if (!this.#stop(run_id, cancel)) {
      this.#lost.suspect();
      await this.#rollBackEnded();
    }
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
    return this.#schedule.live(run_id);
  }

  /** The unfinished run that works at a task. */
  liveOfTask(task_id: string): LiveRun | undefined {
    return this.#schedule.liveOfTask(task_id);
  }

  async ask<M extends keyof EngineCalls>(
    method: M,
    params: EngineCalls[M]['params'],
  ): Promise<EngineCalls[M]['result']> {
    const { revision_id } = this.serving;
    if (revision_id === undefined)
      throw new Problem('unavailable', 'No revision of this deployment is active.');
    this.#options.requireRunnable?.();
    return await this.#options.hosts.ask(revision_id, method, params);
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
    this.#driver.close();
  }

  /** Stops taking work, waits for what is being written, and leaves unfinished runs to the next engine. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    clearInterval(this.#looking);
    this.#stopping.abort();
    await this.#intake.idle();
    await this.#schedule.close();
    await this.#lost[Symbol.asyncDispose]();
    await this.#log[Symbol.asyncDispose]();
  }

  /** Checks whether another engine has the database by now. */
  async #look(): Promise<void> {
    if (!(await isCurrent(this.db, this.epoch))) this.#stepDown();
  }

  /** Stops driving runs, because another engine has them. */
  #stepDown(): void {
    if (this.over.aborted) return;
    const message = 'another engine has taken the deployment over; this one drives no more runs';
    this.#options.log.warn(message, { epoch: this.epoch });
    this.close();
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

  /** False where the run is not here. */
  #stop(run_id: string, cancel: CancelRecord): boolean {
    const run = this.#schedule.live(run_id);
    if (run === undefined) return false;
    const before = run.cancel;
    if (before?.action !== 'rollback') run.cancel = cancel;
    if (before === undefined) this.#schedule.cancel(run);
    return true;
  }

  /** Finishes rollbacks of runs whose end was committed but whose removal was not. */
  async #rollBackEnded(): Promise<void> {
    for (const row of await listRolledBack(this.db)) await this.#rollBack(row);
  }

  /** Waits out an outage of the database: the next run of the thread must not build on what is rolled back. */
  async #rollBack({ run_id, thread_id }: Pick<RunRow, 'run_id' | 'thread_id'>): Promise<void> {
    const { db, epoch } = this;
    const gone = () => rollBack(db, { run_id, thread_id, epoch });
    const task_id = await retryOutages(gone, { closed: this.#stopping.signal });
    if (task_id !== undefined) this.#options.onAskedAgain(task_id);
  }

  async #continueTask(run: LiveRun): Promise<void> {
    const { db, epoch } = this;
    const { continueTask } = this.#options;
    const closed = this.#stopping.signal;
    const task = await retryOutages(() => continueTask(db, { run: run.row, epoch }), { closed });
    if (task === undefined) return;
    const { task_id, seq } = task.row;
    run.row = { ...run.row, task_id, seq_before: seq, plain: true };
    run.task = task;
    run.seq = seq;
  }

  /** Tries a run again that an earlier engine left unfinished, or whose commit's answer was lost. */
  async #adopt(row: BeginRecord['run']): Promise<void> {
    const run = await adoptedRun(this.db, row, this.#options.readTask);
    if (this.over.aborted || !(await isUnfinished(this.db, row))) return;
    this.#intake.readmit(run);
    this.#schedule.add(run);
  }
}

const LOOK_MS = 10_000;

const busy = () =>
  new Problem('conflict', 'The thread has a run that has not ended.', { code: 'thread_busy' });
