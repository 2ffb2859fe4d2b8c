import type { Manifest, Outcome, RunParams } from '@roadstead/contracts';
import { assistantIdOf, type Database, GroupCommit, type Log, Problem, uuidv7 } from '@roadstead/kit';
import type { RunSink } from '../hosts/revision-hosts.ts';
import { isSettled, type Task, type TaskEvent } from '../tasks/task.ts';
import type { Assistant, BeginTask, Owner, ResumeTask, TaskEngine } from '../tasks/task-engine.ts';
import { CommitLog } from './commit-log.ts';
import { commitBegins, commitWrites } from './commit-sql.ts';
import {
  findTask,
  findTaskOfMessage,
  findThread,
  insertEvents,
  insertResume,
  listEvents,
  listQueue,
  readTask,
  readThread,
  takeEpoch,
} from './engine-store.ts';
import { EventLog } from './event-log.ts';
import { KeyedLock } from './keyed-lock.ts';
import { type LiveRun, ThreadQueues } from './live-run.ts';
import { beginRecord, liveRunOf } from './new-runs.ts';
import type { BeginRecord } from './records.ts';
import { RunDriver } from './run-driver.ts';
import { TaskEnds } from './task-ends.ts';
import { TaskFeed } from './task-feed.ts';

export interface EngineOptions {
  readonly db: Database;
  readonly runOnHost: (revision_id: string, params: RunParams) => Promise<Outcome>;
  readonly mask: (text: string) => string;
  readonly log: Log;
}

/** Runs and tasks of one deployment, durable in its database. One engine owns a database at a time (its epoch). */
export class Engine implements TaskEngine, AsyncDisposable {
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
  readonly #live = new Map<string, LiveRun>();
  #active: { readonly revision_id: string; readonly assistants: readonly Assistant[] } | undefined;

  static async open(options: EngineOptions): Promise<Engine> {
    const engine = new Engine(options, await takeEpoch(options.db));
    await engine.#recover();
    return engine;
  }

  private constructor({ db, log, runOnHost, mask }: EngineOptions, epoch: number) {
    this.#db = db;
    this.#epoch = epoch;
    this.#begins = new GroupCommit({
      max_items: 200,
      flush: async (items) => {
        const made = await commitBegins(db, items, epoch);
        return items.map((item) => made.has(item.task_id));
      },
    });
    this.#writes = new CommitLog({
      flush: (batch) => commitWrites(db, batch, epoch),
      hasEnded: async ({ run_id, attempt }) =>
        (await db.run(`select from runs where run_id = $1 and attempt = $2 and status <> 'pending'`, [
          run_id,
          attempt,
        ])) === 1,
      log,
    });
    this.#events = new EventLog({
      insert: (records) => insertEvents(db, records),
      publish: (id, events) => this.#feed.publish(id, events),
      log,
    });
    this.#driver = new RunDriver({
      db,
      writes: this.#writes,
      events: this.#events,
      feed: this.#feed,
      runOnHost,
      activeRevision: () => this.#active?.revision_id,
      nextOf: (run) => this.#queues.next(run.row.thread_id)?.row.run_id ?? null,
      onEnd: (task) => {
        // First, so that who begins to wait from here on asks the database.
        this.#live.delete(task.id);
        this.#ends.tell(task);
      },
      mask,
      log,
    });
  }

  /** What graph hosts ask and tell. */
  get sink(): RunSink {
    return this.#driver;
  }

  /** New runs, and unfinished ones of other revisions, go to this revision from here on. */
  activate(revision_id: string, manifest: Manifest): void {
    this.#active = {
      revision_id,
      assistants: manifest.graphs.map((graph) => ({ assistant_id: assistantIdOf(graph.graph_id), graph })),
    };
  }

  assistant(id: string): Assistant | undefined {
    return this.assistants().find((one) => one.assistant_id === id || one.graph.graph_id === id);
  }

  assistants(): readonly Assistant[] {
    return this.#active?.assistants ?? [];
  }

  async task(owner: Owner, task_id: string): Promise<Task | undefined> {
    const task = await findTask(this.#db, owner, task_id);
    return task && this.#withProgress(task);
  }

  async taskOfMessage(owner: Owner, context_key: string, message_id: string): Promise<Task | undefined> {
    return findTaskOfMessage(this.#db, owner, context_key, message_id);
  }

  async begin(owner: Owner, request: BeginTask): Promise<Task> {
    const active = this.#active;
    const assistant = this.assistant(owner.assistant_id);
    if (active === undefined || assistant === undefined)
      throw new Problem('unavailable', 'No revision of this deployment is active.');
    const context_id = request.context_id ?? uuidv7();
    return this.#locks.run(`${owner.principal} ${owner.assistant_id} ${context_id}`, async () => {
      const known =
        request.context_id === undefined ? undefined : await findThread(this.#db, owner, context_id);
      const thread_id = known?.thread_id ?? uuidv7();
      if (known !== undefined && known.interrupts.length > 0 && !this.#queues.isBusy(thread_id)) {
        const made = await findTaskOfMessage(
          this.#db,
          owner,
          request.context_key,
          request.message.message_id,
        );
        if (made !== undefined) return made;
        throw new Problem('invalid', 'A task of this context waits for an answer; send its taskId along.');
      }
      const record = beginRecord(owner, request, {
        context_id,
        thread_id,
        graph_id: assistant.graph.graph_id,
        revision_id: active.revision_id,
        new_thread: known === undefined,
        active: !this.#queues.isBusy(thread_id),
      });
      if (!(await this.#begins.add(record))) return this.#alreadyMade(owner, request);
      const run = liveRunOf({ ...record, attempt: 1, resume: null }, record, known?.has_checkpoint ?? false);
      this.#enqueue(run);
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
    const active = this.#active;
    const task = await findTask(this.#db, owner, request.task_id);
    const assistant = this.assistant(owner.assistant_id);
    if (active === undefined || assistant === undefined)
      throw new Problem('unavailable', 'No revision of this deployment is active.');
    if (task === undefined) return undefined;
    return this.#locks.run(`${owner.principal} ${owner.assistant_id} ${task.context_id}`, async () => {
      const thread = await findThread(this.#db, owner, task.context_id);
      if (thread === undefined) return undefined;
      // Of several open questions the first was shown.
      const [asked] = thread.interrupts;
      const seq = task.seq + 1;
      const status = { state: 'working', at: new Date().toISOString() } as const;
      const history = [...task.history, request.message];
      const record = {
        task_id: task.id,
        run_id: uuidv7(),
        thread_id: thread.thread_id,
        active: !this.#queues.isBusy(thread.thread_id),
        assistant_id: owner.assistant_id,
        graph_id: assistant.graph.graph_id,
        revision_id: active.revision_id,
        resume: { value: request.value, ...(asked === undefined ? {} : { interrupt_id: asked.id }) },
        chunks: request.stream,
        metadata: { thread_id: request.trace_thread_id ?? task.context_id, context_id: task.context_id },
        status,
        history,
        seq,
        seen_seq: request.seen_seq ?? task.seq,
      };
      if (!(await insertResume(this.#db, record, this.#epoch))) return undefined;
      const run = liveRunOf({ ...record, attempt: 1, input: null }, { ...task, history, status, seq }, true);
      this.#enqueue(run);
      return { ...task, status, history, seq };
    });
  }

  events(task_id: string, after_seq: number, signal: AbortSignal): AsyncIterable<TaskEvent> {
    return this.#feed.follow(task_id, after_seq, () => listEvents(this.#db, task_id, after_seq), signal);
  }

  async settled(task_id: string, signal: AbortSignal): Promise<Task> {
    using end = this.#ends.wait(task_id, signal);
    // Registered first, read second: an end in between is seen by one of them.
    const known = this.#live.has(task_id) ? undefined : await readTask(this.#db, task_id);
    if (known !== undefined && isSettled(known.status.state)) return known;
    return (await end.promise) ?? readTask(this.#db, task_id);
  }

  /** From here on nothing new begins; what runs may end. */
  close(): void {
    this.#driver.close();
  }

  /** Stops taking work, waits for what is being written, and leaves unfinished runs to the next life. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    await this.#begins.idle();
    await Promise.allSettled(this.#driving);
    await this.#writes[Symbol.asyncDispose]();
  }

  async #alreadyMade(owner: Owner, request: BeginTask): Promise<Task> {
    const task = await findTaskOfMessage(this.#db, owner, request.context_key, request.message.message_id);
    if (task === undefined)
      throw new Problem('unavailable', 'Another process has taken this deployment over; try again.');
    return task;
  }

  /** A stored task with what its run has produced so far. */
  #withProgress(task: Task): Task {
    const produced = this.#live.get(task.id)?.progress.artifacts ?? [];
    return produced.length > 0 ? { ...task, artifacts: produced } : task;
  }

  #enqueue(run: LiveRun): void {
    this.#live.set(run.row.task_id, run);
    if (this.#queues.push(run)) this.#drive(run);
  }

  #drive(run: LiveRun): void {
    const driven: Promise<void> = this.#driver.drive(run).then(() => {
      this.#driving.delete(driven);
      if (this.#live.get(run.row.task_id) === run) this.#live.delete(run.row.task_id);
      const next = this.#queues.remove(run);
      if (next !== undefined) void this.#driveNext(next);
    });
    this.#driving.add(driven);
  }

  async #driveNext(next: LiveRun): Promise<void> {
    next.has_checkpoint ||=
      (await readThread(this.#db, next.row.thread_id).catch(() => undefined))?.has_checkpoint ?? true;
    this.#drive(next);
  }

  /** After a start: every run that a former life left unfinished is tried again, in order. */
  async #recover(): Promise<void> {
    for (const row of await listQueue(this.#db)) {
      const [task, thread] = [
        await readTask(this.#db, row.task_id),
        await readThread(this.#db, row.thread_id),
      ];
      const run = liveRunOf(row, { ...task, artifacts: [] }, thread.has_checkpoint);
      await this.#driver.renew(run);
      this.#enqueue(run);
    }
  }
}
