import { type Database, Problem, uuidv7 } from '@roadstead/kit';
import type { Engine } from '../runs/engine.ts';
import { KeyedLock } from '../runs/keyed-lock.ts';
import type { RunRow } from '../runs/records.ts';
import type { NewRun } from '../runs/run.ts';
import { applyEvents, beginProgress, TaskFold } from './task-fold.ts';
import {
  type ContextRow,
  findContext,
  findTask,
  findFirstSeq,
  findTaskOfMessage,
  readTask,
} from './task-store.ts';
import type { Assistant, BeginTask, Owner, ResumeTask, TaskEngine } from './task-engine.ts';
import { isSettled, type Task, type TaskEvent, type TaskStatus } from './task.ts';

/**
 * Tasks: what A2A clients see of runs. A message begins a run with a task, or goes on with a task that waits for an answer
 * by a further run on its thread. What a task looks like is a fold over the events of its runs (`task-fold.ts`), which the
 * engine commits with them.
 *
 * submitted → working → completed, failed, canceled, rejected, or input-required and auth-required, from which an answer
 * leads back to working (`taskFlow` in contracts).
 */
export class Tasks implements TaskEngine {
  readonly #engine: Engine;
  readonly #db: Database;
  readonly #locks = new KeyedLock();

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#db = engine.db;
  }

  assistant(id: string): Assistant | undefined {
    return this.#engine.serving.find(id);
  }

  assistants(): readonly Assistant[] {
    return this.#engine.serving.assistants;
  }

  async task(owner: Owner, task_id: string): Promise<Task | undefined> {
    const found = await findTask(this.#db, { owner, task_id });
    return found && this.#present(found);
  }

  async begin(owner: Owner, request: BeginTask): Promise<Task> {
    const context_id = request.context_id ?? uuidv7();
    return await this.#locks.run(`${owner.principal} ${owner.assistant_id} ${context_id}`, async () => {
      const known =
        request.context_id === undefined ? undefined : await findContext(this.#db, { owner, context_id });
      const waits = known !== undefined && known.interrupts.length > 0;
      if (waits && !this.#engine.isBusy(known.thread_id)) {
        const made = await this.#made(owner, request);
        if (made !== undefined) return made;
        throw new Problem('invalid', 'A task of this context waits for an answer; send its taskId along.');
      }
      const task = submitted({ owner, context_id, request });
      const { message_id } = request.message;
      const begun = await this.#engine.begin({
        ...this.#runOf(owner, request),
        thread: threadOf(known, { context_id, owner }),
        kwargs: { input: request.input },
        metadata: tracedAs(request, context_id),
        task: {
          projection: new TaskFold(beginProgress(task)),
          begin: {
            assistant_id: owner.assistant_id,
            context_id,
            new_context: known === undefined,
            message_id,
            digest: request.digest,
          },
        },
      });
      if (begun !== undefined) return task;
      const made = await this.#made(owner, request);
      if (made === undefined)
        throw new Problem('unavailable', 'Another process has taken this deployment over; try again.');
      return made;
    });
  }

  async resume(owner: Owner, request: ResumeTask): Promise<Task | undefined> {
    const stored = await findTask(this.#db, { owner, task_id: request.task_id });
    if (stored === undefined) return undefined;
    const { task } = stored;
    const { context_id } = task;
    return await this.#locks.run(`${owner.principal} ${owner.assistant_id} ${context_id}`, async () => {
      const context = await findContext(this.#db, { owner, context_id });
      if (context === undefined) return undefined;
      // Of several open interrupts the first was shown.
      const [asked] = context.interrupts;
      const status: TaskStatus = { state: 'working', at: new Date().toISOString() };
      const resumed = { ...task, status, history: [...task.history, request.message], seq: task.seq + 1 };
      const begun = await this.#engine.begin({
        ...this.#runOf(owner, request),
        thread: { thread_id: context.thread_id, has_checkpoint: true },
        kwargs: {
          resume: { value: request.value, ...(asked === undefined ? {} : { interrupt_id: asked.id }) },
        },
        metadata: tracedAs({ ...request, metadata: {} }, context_id),
        task: {
          projection: new TaskFold(beginProgress(resumed)),
          resume: { seen_seq: request.seen_seq ?? task.seq },
        },
      });
      return begun && resumed;
    });
  }

  async *events(task_id: string, after_seq: number, signal: AbortSignal): AsyncGenerator<TaskEvent> {
    const { run_id, task } = await readTask(this.#db, task_id);
    const live = this.#engine.live(run_id);
    // Of a run that has ended the stored task says more than its beginning: from there nothing follows.
    const before = live?.task_before instanceof TaskFold ? live.task_before.progress : undefined;
    let progress = before ?? beginProgress({ ...task, ...(await this.#beforeRun(run_id, task)) });
    for await (const event of this.#engine.events(run_id, { after_seq: progress.seq, signal })) {
      const change = applyEvents(progress, [event]);
      progress = change.progress;
      for (const one of change.events) if (one.seq > after_seq) yield one;
    }
  }

  async settled(task_id: string, signal: AbortSignal): Promise<Task> {
    const { run_id, task } = await readTask(this.#db, task_id);
    if (isSettled(task.status.state)) return task;
    const { task: ended } = await this.#engine.ended(run_id, signal);
    return ended instanceof TaskFold ? ended.task : (await readTask(this.#db, task_id)).task;
  }

  /** The task that the same message made before. */
  async #made(owner: Owner, request: BeginTask): Promise<Task | undefined> {
    const { message_id } = request.message;
    const found = await findTaskOfMessage(this.#db, { owner, message_id });
    if (found === undefined) return undefined;
    if (found.digest !== request.digest)
      throw new Problem('invalid', 'Another message of this messageId was sent before; give each its own.', {
        code: 'message_id_taken',
      });
    return this.#present(found);
  }

  /** A stored task as of the last committed event of its run: snapshot and number belong together. */
  #present({ task, run_id }: { readonly task: Task; readonly run_id: string }): Task {
    const fold = this.#engine.live(run_id)?.task;
    return fold instanceof TaskFold && fold.progress.seq >= task.seq ? fold.task : task;
  }

  #runOf(owner: Owner, { stream }: { readonly stream: boolean }) {
    const graph_id = this.#engine.serving.find(owner.assistant_id)?.graph.graph_id;
    if (graph_id === undefined) throw new Problem('unavailable', 'No revision of this deployment is active.');
    return {
      assistant_id: owner.assistant_id,
      graph_id,
      principal: owner.principal,
      user: owner.user,
      multitask_strategy: 'enqueue',
      chunks: stream,
      plain: true,
      values: false,
    } as const satisfies Partial<NewRun>;
  }

  /** How a task stood before a run of it that has ended or that another engine began. */
  async #beforeRun(run_id: string, task: Task): Promise<Pick<Task, 'status' | 'artifacts' | 'seq'>> {
    const seq_before = (await findFirstSeq(this.#db, run_id)) ?? task.seq;
    const state = seq_before > 1 ? 'working' : 'submitted';
    return { seq: seq_before, status: { state, at: task.status.at }, artifacts: [] };
  }
}

/** Reads the task of a run that an earlier engine left unfinished. */
export async function readTaskOf(db: Database, { task_id }: RunRow): Promise<TaskFold> {
  if (task_id === null) throw new Error('This run has no task.');
  return new TaskFold(beginProgress((await readTask(db, task_id)).task));
}

function submitted({
  owner,
  context_id,
  request,
}: {
  readonly owner: Owner;
  readonly context_id: string;
  readonly request: BeginTask;
}): Task {
  return {
    id: uuidv7(),
    context_id,
    assistant_id: owner.assistant_id,
    status: { state: 'submitted', at: new Date().toISOString() },
    history: [request.message],
    artifacts: [],
    seq: 1,
  };
}

function threadOf(
  known: ContextRow | undefined,
  { context_id, owner }: { readonly context_id: string; readonly owner: Owner },
): NewRun['thread'] {
  if (known !== undefined) return { thread_id: known.thread_id, has_checkpoint: known.has_checkpoint };
  const metadata = {
    ...owner.thread_metadata,
    assistant_id: owner.assistant_id,
    a2a_context_id: context_id,
  };
  return { thread_id: uuidv7(), has_checkpoint: false, create: { metadata } };
}

/** Tracers look for the tracing thread under `thread_id`; the engine's own `thread_id` is no part of the metadata. */
function tracedAs(
  { metadata, tracing_thread_id }: Pick<BeginTask, 'metadata' | 'tracing_thread_id'>,
  context_id: string,
): Readonly<Record<string, unknown>> {
  return { ...metadata, thread_id: tracing_thread_id ?? context_id, context_id };
}
