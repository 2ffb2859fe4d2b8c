import type { Manifest } from '@roadstead/contracts/host';
import { type Database, GroupCommit, Problem, uuidv7 } from '@roadstead/kit';
import type { RunSink } from '../hosts/revision-hosts.ts';
import { isSettled, type Task, type TaskEvent } from '../tasks/task.ts';
import type { Assistant, BeginTask, Owner, ResumeTask, TaskEngine } from '../tasks/task-engine.ts';
import type { EngineOptions } from './engine-options.ts';
import { CommitLog, MAX_GROUP_BYTES } from './commit-log.ts';
import { commitBegins, commitWrites } from './commit-store.ts';
import {
  type MessageKey,
  findTask,
  findTaskOfMessage,
  findThread,
  hasEnded,
  insertEvents,
  insertResume,
  listEvents,
  listQueue,
  readTask,
  readThread,
  takeEpoch,
} from './engine-store.ts';
import { EventLog } from './event-log.ts';
import { HostSink } from './host-sink.ts';
import { KeyedLock } from './keyed-lock.ts';
import { LostRuns } from './lost-runs.ts';
import { type LiveRun, ThreadQueues } from './live-run.ts';
import { beginRecord, liveRunOf } from './new-runs.ts';
import type { BeginRecord, RunRow } from './records.ts';
import { Room } from './room.ts';
import { RunDriver, type RunEnd } from './run-driver.ts';
import { Serving } from './serving.ts';
import { TaskEnds } from './task-ends.ts';
import { TaskFeed } from './task-feed.ts';
import { weightOf } from './weight.ts';

/**
 * Runs and tasks of one deployment, durable in its database.
 *
 * Opening the engine raises the epoch in the database; every statement that begins or ends something names its epoch, so
 * that an engine which was replaced can change nothing. A message becomes a task and a run in one commit (`begin`), or a
 * further run of an interrupted task (`resume`). The run is put into the queue of its thread; the first of a queue is
 * driven (`RunDriver`), and when it has ended the next one is. Behind a run that ends with a question the waiting runs
 * are refused one after the other, since they would discard the question.
 *
 * Unfinished runs stand in the table `queue`. After a start, and whenever a commit's answer was lost, the engine reads it
 * and adopts the runs that are not held here, as a new attempt each. Closing leaves unfinished runs in the queue.
 */
export class Engine implements TaskEngine, AsyncDisposable {
  /** The requests and messages of graph hosts. */
  readonly sink: RunSink;
  readonly #db: Database;
  readonly #epoch: number;
  readonly #begins: GroupCommit<BeginRecord, boolean>;
  readonly #writes: CommitLog;
  readonly #events: EventLog;
  readonly #feed = new TaskFeed();
  readonly #queues = new ThreadQueues();
  readonly #locks = new KeyedLock();
  readonly #driver: RunDriver;
  readonly #driving = new Set<Promise<void>>();
  readonly #ends = new TaskEnds();
  readonly #lost: LostRuns;
  readonly #room: Room;
  readonly #serving = new Serving();
  /** Runs whose commit is on its way. */
  readonly #beginning = new Set<string>();
  /** Aborted when the database is not waited for any more. Then `#closed`, when streams and waiting clients end. */
  readonly #stopping = new AbortController();
  readonly #closed = new AbortController();
  readonly #live = new Map<string, LiveRun>();

  static async open(options: EngineOptions): Promise<Engine> {
    const engine = new Engine(options, await takeEpoch(options.db));
    await engine.#recover();
    return engine;
  }

  private constructor(options: EngineOptions, epoch: number) {
    const { db, log, runOnHost, mask, onFailure = () => undefined, expose_errors = false } = options;
    this.#db = db;
    this.#room = new Room(options);
    this.#epoch = epoch;
    const { signal: closed } = this.#stopping;
    this.#begins = new GroupCommit<BeginRecord, boolean>({
      max_items: 200,
      max_weight: MAX_GROUP_BYTES,
      weigh: weightOf,
      flush: async (items) => {
        const made = await commitBegins(db, { items, epoch });
        return items.map((item) => made.has(item.task_id));
      },
    });
    this.#writes = new CommitLog({
      flush: (batch) => commitWrites(db, { batch, epoch }),
      hasEnded: (finish) => hasEnded(db, finish),
      closed,
      log,
    });
    this.#events = new EventLog({
      insert: (records) => insertEvents(db, { records, epoch }),
      publish: (id, events) => this.#feed.publish(id, events),
      closed,
      log,
    });
    this.#lost = new LostRuns({
      db,
      isHeld: (row) => this.#beginning.has(row.run_id) || this.#queues.has(row),
      adopt: (row) => this.#adopt(row),
      log,
    });
    this.#driver = new RunDriver({
      db,
      epoch,
      writes: this.#writes,
      events: this.#events,
      feed: this.#feed,
      runOnHost,
      activeRevision: () => this.#serving.revision_id,
      onEnd: (task) => {
        // First, so that who begins to wait from here on asks the database.
        this.#live.delete(task.id);
        this.#ends.settle(task);
      },
      onFailure,
      expose_errors,
      mask,
      log,
    });
    this.sink = new HostSink({ db, writes: this.#writes, runs: this.#driver, closed });
  }

  /** New runs, and unfinished ones of other revisions, go to this revision from here on. */
  activate(revision_id: string, manifest: Manifest): void {
    this.#serving.activate(revision_id, manifest);
  }

  assistant(id: string): Assistant | undefined {
    return this.#serving.find(id);
  }

  assistants(): readonly Assistant[] {
    return this.#serving.assistants;
  }

  async task(owner: Owner, task_id: string): Promise<Task | undefined> {
    const task = await findTask(this.#db, { owner, task_id });
    return task && this.#withProgress(task);
  }

  async begin(owner: Owner, request: BeginTask): Promise<Task> {
    const { graph_id, revision_id } = this.#serving.read(owner);
    const context_id = request.context_id ?? uuidv7();
    using place = this.#room.enter(weightOf(request));
    return await this.#locks.run(`${owner.principal} ${owner.assistant_id} ${context_id}`, async () => {
      const known =
        request.context_id === undefined ? undefined : await findThread(this.#db, { owner, context_id });
      const thread_id = known?.thread_id ?? uuidv7();
      if (known !== undefined && known.interrupts.length > 0 && !this.#queues.isBusy(thread_id)) {
        const made = await findTaskOfMessage(this.#db, keyOf(owner, request));
        if (made !== undefined) return made;
        throw new Problem('invalid', 'A task of this context waits for an answer; send its taskId along.');
      }
      const record = beginRecord(owner, request, {
        context_id,
        thread_id,
        graph_id,
        revision_id,
        new_thread: known === undefined,
      });
      const run = liveRunOf({ ...record, attempt: 1, resume: null }, record, {
        has_checkpoint: known?.has_checkpoint ?? false,
      });
      if (!(await this.#begin(run, place, () => this.#begins.add(record))))
        return this.#alreadyMade(owner, request);
      return {
        id: record.task_id,
        context_id,
        assistant_id: owner.assistant_id,
        status: record.status,
        history: record.history,
        artifacts: [],
        seq: 1,
      };
    });
  }

  async resume(owner: Owner, request: ResumeTask): Promise<Task | undefined> {
    const { graph_id, revision_id } = this.#serving.read(owner);
    const task = await findTask(this.#db, { owner, task_id: request.task_id });
    if (task === undefined) return undefined;
    using place = this.#room.enter(weightOf(request));
    return await this.#locks.run(`${owner.principal} ${owner.assistant_id} ${task.context_id}`, async () => {
      const thread = await findThread(this.#db, { owner, context_id: task.context_id });
      if (thread === undefined) return undefined;
      // Of several open interrupts the first was shown.
      const [asked] = thread.interrupts;
      const seq = task.seq + 1;
      const status = { state: 'working', at: new Date().toISOString() } as const;
      const history = [...task.history, request.message];
      const record = {
        task_id: task.id,
        run_id: uuidv7(),
        thread_id: thread.thread_id,
        assistant_id: owner.assistant_id,
        graph_id,
        revision_id,
        resume: { value: request.value, ...(asked === undefined ? {} : { interrupt_id: asked.id }) },
        chunks: request.stream,
        metadata: { thread_id: request.tracing_thread_id ?? task.context_id, context_id: task.context_id },
        status,
        history,
        seq,
        seen_seq: request.seen_seq ?? task.seq,
      };
      const run = liveRunOf(
        { ...record, attempt: 1, input: null },
        { ...task, history, status, seq },
        { has_checkpoint: true },
      );
      if (!(await this.#begin(run, place, () => insertResume(this.#db, { record, epoch: this.#epoch }))))
        return undefined;
      return { ...task, status, history, seq };
    });
  }

  events(task_id: string, after_seq: number, signal: AbortSignal): AsyncIterable<TaskEvent> {
    const until = AbortSignal.any([signal, this.#closed.signal]);
    const stored = (seq: number, limit: number) => listEvents(this.#db, task_id, { after_seq: seq, limit });
    return this.#feed.follow(task_id, { after_seq, stored, signal: until });
  }

  async settled(task_id: string, signal: AbortSignal): Promise<Task> {
    using end = this.#ends.wait(task_id, AbortSignal.any([signal, this.#closed.signal]));
    // Registered first, read second: an end in between is seen by one of them.
    const known = this.#live.has(task_id) ? undefined : await readTask(this.#db, task_id);
    if (known !== undefined && isSettled(known.status.state)) return known;
    const ended = await end.promise;
    if (ended === undefined)
      throw new Problem('unavailable', 'This agent stops; the task is kept, so ask for it again later.');
    return ended;
  }

  /** From here on nothing new begins; what runs may end. */
  close(): void {
    this.#driver.close();
  }

  /** Stops taking work, waits for what is being written, and leaves unfinished runs to the next engine. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    this.#stopping.abort();
    await this.#begins.idle();
    await Promise.allSettled(this.#driving);
    await this.#lost[Symbol.asyncDispose]();
    await this.#writes[Symbol.asyncDispose]();
    this.#closed.abort();
  }

  async #alreadyMade(owner: Owner, request: BeginTask): Promise<Task> {
    const task = await findTaskOfMessage(this.#db, keyOf(owner, request));
    if (task === undefined)
      throw new Problem('unavailable', 'Another process has taken this deployment over; try again.');
    return task;
  }

  /** A stored task with what its run has produced so far. */
  #withProgress(task: Task): Task {
    const produced = this.#live.get(task.id)?.progress.artifacts ?? [];
    return produced.length > 0 ? { ...task, artifacts: produced } : task;
  }

  /** Commits a run and takes it on. A commit whose answer was lost may stand all the same: then it is found. */
  async #begin(run: LiveRun, place: DisposableStack, commit: () => Promise<boolean>): Promise<boolean> {
    const { run_id } = run.row;
    this.#beginning.add(run_id);
    try {
      const made = await commit();
      if (!made) return false;
      run.place = place.move();
      this.#enqueue(run);
      return true;
    } catch (error) {
      this.#lost.suspect();
      throw error;
    } finally {
      this.#beginning.delete(run_id);
    }
  }

  #enqueue(run: LiveRun): void {
    this.#live.set(run.row.task_id, run);
    if (this.#queues.push(run)) this.#drive(run);
  }

  #drive(run: LiveRun): void {
    this.#follow(run, this.#driver.drive(run));
  }

  #follow(run: LiveRun, driven: Promise<RunEnd>): void {
    const followed: Promise<void> = driven.then((end) => {
      this.#driving.delete(followed);
      run.place?.[Symbol.dispose]();
      if (this.#live.get(run.row.task_id) === run) this.#live.delete(run.row.task_id);
      const next = this.#queues.remove(run);
      if (end === 'lost') this.#lost.suspect();
      if (next === undefined) return;
      if (end === 'asking') this.#reject(next, run.asked);
      else void this.#driveNext(next);
    });
    this.#driving.add(followed);
  }

  /** Refuses what waited behind a run that asks something, one after the other. */
  #reject(run: LiveRun, asked: LiveRun['asked']): void {
    run.asked = asked;
    this.#follow(
      run,
      this.#driver.reject(run, asked).then((end) => (end === 'ended' ? 'asking' : end)),
    );
  }

  async #driveNext(next: LiveRun): Promise<void> {
    next.has_checkpoint ||=
      (await readThread(this.#db, next.row.thread_id).catch(() => undefined))?.has_checkpoint ?? true;
    this.#drive(next);
  }

  /** After a start: every run that an earlier engine left unfinished is tried again, in order. */
  async #recover(): Promise<void> {
    for (const row of await listQueue(this.#db)) await this.#adopt(row);
  }

  async #adopt(row: RunRow): Promise<void> {
    const [task, thread] = [await readTask(this.#db, row.task_id), await readThread(this.#db, row.thread_id)];
    const run = liveRunOf(row, task, { has_checkpoint: thread.has_checkpoint });
    if (!(await this.#driver.renew(run))) return;
    run.place = this.#room.take(weightOf(row.input) + weightOf(task.history));
    this.#live.set(row.task_id, run);
    const first = this.#queues.push(run);
    if (!first) return;
    if (thread.interrupts.length > 0 && row.resume === null) this.#reject(run, thread.interrupts);
    else this.#drive(run);
  }
}

function keyOf(owner: Owner, { context_key, message: { message_id } }: BeginTask): MessageKey {
  return { owner, context_key, message_id };
}
