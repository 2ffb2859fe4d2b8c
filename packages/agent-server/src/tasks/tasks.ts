import { cancelReasons } from '../runs/cancel-reasons.ts';
import { isWithin } from '../access/filter-rules.ts';
import { losesHold } from '../access/refusal-rules.ts';
import { isUuid, Problem, uuidv7 } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import type { Assistants } from '../assistants/assistants.ts';
import { servedAssistant } from './served-assistant.ts';
import type { ServedAssistant } from '../engine/served-revision.ts';
import { allowedConfigurable, mergeSettings } from '../runs/run-config-rules.ts';
import type { Engine } from '../engine/engine.ts';
import { messageTaken } from '../runs/begin-store.ts';
import { KeyedLock } from '../engine/keyed-lock.ts';
import { replaced } from '../runs/run-store.ts';
import type { NewRun, Reader } from '../runs/run.ts';
import type { TaskChanges } from './task-changes.ts';
import { followTask } from './task-events.ts';
import { beginProgress, TaskFold } from './task-fold.ts';
import { listEarlier, listTasks } from './task-list-store.ts';
import {
  cancelWaiting,
  type ContextRow,
  findContext,
  findTask,
  findTaskOfMessage,
  findThreadForContext,
  hasWaitingTask,
  isAnswer,
  readTask,
} from './task-store.ts';
import type {
  BeginTask,
  EarlierQuery,
  Owner,
  ResumeTask,
  TaskEngine,
  TaskPage,
  TaskQuery,
} from './task-engine.ts';
import { isSettled, isTerminal, type Task, type TaskEvent, type TaskStatus } from './task.ts';

export interface TasksOptions {
  /** The assistants that clients made. */
  readonly assistants: Pick<Assistants, 'find'>;
  /** Connections for queries over many rows. */
  readonly searches: Database;
  readonly changes: TaskChanges;
}

/**
 * Tasks: the view of runs that A2A clients have. A message begins a run with a task, or continues a task that waits for
 * an answer with a further run on its thread. A task is a fold over the events of its runs (`task-fold.ts`), which the
 * engine commits with them.
 *
 * A question belongs to the thread, and the LangGraph API may answer it, too: then the task continues with that run.
 *
 * submitted → working → completed, failed, canceled, rejected, or input-required and auth-required, from which an
 * answer leads back to working (`taskFlow` in contracts).
 */
export class Tasks implements TaskEngine {
  readonly #engine: Engine;
  readonly #db: Database;
  readonly #locks = new KeyedLock();
  readonly #changes: TaskChanges;
  readonly #options: TasksOptions;

  constructor(engine: Engine, options: TasksOptions) {
    this.#engine = engine;
    this.#db = engine.db;
    this.#options = options;
    this.#changes = options.changes;
  }

  assistant(id: string): Promise<ServedAssistant | undefined> {
    return servedAssistant(id, {
      serving: this.#engine.serving,
      find: (name) => this.#options.assistants.find(name),
    });
  }

  assistants(): readonly ServedAssistant[] {
    return this.#engine.serving.assistants;
  }

  async task(owner: Owner, task_id: string): Promise<Task | undefined> {
    const found = await findTask(this.#db, { owner, task_id });
    return found && this.#present(found);
  }

  async begin(owner: Owner, request: BeginTask): Promise<Task> {
    const context_id = request.context_id ?? uuidv7();
    const assistant = await this.#requireAssistant(owner);
    // The lock is shared by all owners: one context becomes one thread with its id.
    return await this.#locks.run(context_id, async () => {
      const { thread_id, known } = await this.#contextOf(owner, { request, context_id, assistant });
      if (known?.is_visible === false) throw new Problem('invalid', 'There is no such context here.');
      const waits =
        known !== undefined && known.interrupts.length > 0 && !this.#engine.isBusy(known.thread_id);
      if (waits && (await hasWaitingTask(this.#db, known.thread_id))) {
        const made = await this.#made(owner, request);
        if (made !== undefined) return made;
        throw new Problem('invalid', 'A task of this context waits for an answer; send its taskId along.');
      }
      const task = submitted(owner, { context_id, request });
      const { message_id } = request.message;
      const begun = await this.#engine.begin({
        ...runOf(owner, { request, assistant }),
        thread:
          known === undefined
            ? madeThread(owner, { thread_id, context_id, assistant })
            : { thread_id, has_checkpoint: known.has_checkpoint },
        kwargs: { ...settingsOf(assistant, request), input: request.input },
        metadata: { ...assistant.settings?.metadata, ...tracedAs(request, context_id) },
        task: {
          projection: new TaskFold(beginProgress(task)),
          begin: {
            assistant_id: owner.assistant_id,
            context_id,
            new_context: known === undefined || known.is_adopted === true,
            message_id,
            digest: request.digest,
          },
        },
      });
      if (begun !== undefined) return task;
      const made = await this.#made(owner, request);
      if (made === undefined) throw replaced();
      return made;
    });
  }

  async resume(owner: Owner, request: ResumeTask): Promise<Task | undefined> {
    const stored = await findTask(this.#db, { owner, task_id: request.task_id });
    if (stored === undefined) return undefined;
    const { task } = stored;
    const { context_id } = task;
    const assistant = await this.#requireAssistant(owner);
    return await this.#locks.run(context_id, async () => {
      const context = await findContext(this.#db, { owner, context_id });
      if (context === undefined) return undefined;
      // The first of several open interrupts was shown.
      const [asked] = context.interrupts;
      const status: TaskStatus = { state: 'working', at: new Date().toISOString() };
      const resumed = { ...task, status, history: [...task.history, request.message], seq: task.seq + 1 };
      const begun = await this.#engine.begin({
        ...runOf(owner, { request, assistant }),
        thread: { thread_id: context.thread_id, has_checkpoint: true },
        kwargs: {
          ...settingsOf(assistant, request),
          resume: { value: request.value, ...(asked === undefined ? {} : { interrupt_id: asked.id }) },
        },
        metadata: {
          ...assistant.settings?.metadata,
          ...tracedAs({ ...request, metadata: {} }, context_id),
        },
        task: {
          projection: new TaskFold(beginProgress(resumed)),
          resume: {
            seen_seq: request.seen_seq ?? task.seq,
            owner,
            message_id: request.message.message_id,
          },
        },
      });
      if (begun === undefined) return undefined;
      this.#changes.notify(task.id);
      return resumed;
    });
  }

  async cancel(owner: Owner, task_id: string, signal: AbortSignal): Promise<Task | undefined> {
    for (;;) {
      const stored = await findTask(this.#db, { owner, task_id });
      if (stored === undefined) return undefined;
      const { task, run_id } = stored;
      if (isTerminal(task.status.state)) return task;
      if (!isSettled(task.status.state)) {
        await this.#engine.cancel(run_id, { action: 'interrupt', reason: cancelReasons.task_cancelled });
        const ended = await this.#engine.ended(run_id, signal);
        if (ended.task instanceof TaskFold) return ended.task.task;
      } else if (await this.#cancelWaiting(task)) this.#changes.notify(task_id);
      signal.throwIfAborted();
    }
  }

  list(owner: Owner, query: TaskQuery): Promise<TaskPage> {
    return listTasks(this.#options.searches, { owner, query });
  }

  earlier(owner: Owner, query: EarlierQuery) {
    return listEarlier(this.#options.searches, { owner, query });
  }

  events(task_id: string, after_seq: number, reader: Reader): AsyncIterable<TaskEvent> {
    const options = { db: this.#db, engine: this.#engine, changes: this.#changes };
    return followTask(options, { task_id, after_seq, reader });
  }

  async settled(task_id: string, signal: AbortSignal): Promise<Task> {
    let run_id = this.#engine.liveOfTask(task_id)?.row.run_id;
    if (run_id === undefined) {
      const stored = await readTask(this.#db, task_id);
      if (isSettled(stored.task.status.state)) return stored.task;
      ({ run_id } = stored);
    }
    const { task: ended } = await this.#engine.ended(run_id, signal);
    return ended instanceof TaskFold ? ended.task : (await readTask(this.#db, task_id)).task;
  }

  /** The task that the same message made before. */
  async #made(owner: Owner, request: BeginTask): Promise<Task | undefined> {
    const { message_id } = request.message;
    const found = await findTaskOfMessage(this.#db, { owner, message_id });
    if (found === undefined && (await isAnswer(this.#db, { owner, message_id }))) throw messageTaken();
    if (found === undefined) return undefined;
    if (found.digest !== request.digest) throw messageTaken();
    if ((await findTask(this.#db, { owner, task_id: found.task.id })) === undefined) throw messageTaken();
    return this.#present(found);
  }

  /** A stored task as of the last committed event of its run: snapshot and number belong together. */
  #present({ task, run_id }: { readonly task: Task; readonly run_id: string }): Task {
    const fold = this.#engine.live(run_id)?.task;
    return fold instanceof TaskFold && fold.progress.seq >= task.seq ? fold.task : task;
  }

  async #requireAssistant({ assistant_id }: Owner): Promise<ServedAssistant> {
    const assistant = await this.assistant(assistant_id);
    if (assistant === undefined)
      throw new Problem('unavailable', 'No revision of this deployment is active.');
    return assistant;
  }

  /**
   * The thread of a context: the known one, or a new one with the context's id, so that the LangGraph API finds it
   * there.
   */
  async #contextOf(
    owner: Owner,
    { request, context_id, assistant }: { readonly request: BeginTask } & Conversation,
  ): Promise<{ readonly thread_id: string; readonly known?: ContextRow }> {
    if (request.context_id === undefined) return { thread_id: context_id };
    const known = await findContext(this.#db, { owner, context_id });
    if (known !== undefined) return { thread_id: known.thread_id, known };
    if (!isUuid(context_id)) return { thread_id: uuidv7() };
    const { graph_id } = assistant.graph;
    const thread_id = context_id.toLowerCase();
    const { taken, context } = await findThreadForContext(this.#db, {
      thread_id,
      graph_id,
      within: owner.within ?? {},
    });
    if (context !== undefined) return { thread_id, known: context };
    return { thread_id: taken ? uuidv7() : thread_id };
  }

  #cancelWaiting(task: Task): Promise<boolean> {
    const message_id = `${task.id}.${task.seq + 1}`;
    const message = {
      message_id,
      role: 'agent',
      parts: [{ kind: 'text', text: cancelReasons.task_cancelled }],
    } as const;
    const status = { state: 'canceled', at: new Date().toISOString(), message } as const;
    return cancelWaiting(this.#db, { task, status, epoch: this.#engine.epoch });
  }
}

function submitted(
  owner: Owner,
  { context_id, request }: { readonly context_id: string; readonly request: BeginTask },
): Task {
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

interface Conversation {
  readonly context_id: string;
  readonly assistant: ServedAssistant;
}

function madeThread(
  owner: Owner,
  { thread_id, context_id, assistant }: Conversation & { readonly thread_id: string },
): NewRun['thread'] {
  const { assistant_id, graph } = assistant;
  const own = { graph_id: graph.graph_id, assistant_id, a2a_context_id: context_id };
  const metadata = { ...owner.thread_metadata, ...own };
  if (!isWithin(metadata, owner.within ?? {})) throw losesHold();
  return { thread_id, has_checkpoint: false, create: { metadata } };
}

function runOf(
  owner: Owner,
  {
    request: { stream, origin },
    assistant: { assistant_id, graph },
  }: { readonly request: Pick<BeginTask, 'stream' | 'origin'>; readonly assistant: ServedAssistant },
) {
  return {
    assistant_id,
    graph_id: graph.graph_id,
    principal: owner.principal,
    user: owner.user,
    multitask_strategy: 'enqueue',
    chunks: stream,
    traceparent: origin?.traceparent,
    plain: true,
    values: false,
  } as const satisfies Partial<NewRun>;
}

/** Tracers look for the tracing thread under `thread_id`; the engine's own `thread_id` is not part of the metadata. */
function tracedAs(
  { metadata, tracing_thread_id }: Pick<BeginTask, 'metadata' | 'tracing_thread_id'>,
  context_id: string,
): Readonly<Record<string, unknown>> {
  return { ...metadata, thread_id: tracing_thread_id ?? context_id, context_id };
}

/** The assistant's settings for its runs, and the headers of the call that the graph may read. */
function settingsOf({ settings }: ServedAssistant, { origin }: Pick<BeginTask, 'origin'>) {
  const { config: said, context, configured } = mergeSettings(settings ?? {});
  const { tags, recursion_limit } = said;
  const configurable = allowedConfigurable({ ...said.configurable, ...origin?.configurable });
  const config = {
    ...(tags === undefined ? {} : { tags }),
    ...(recursion_limit === undefined ? {} : { recursion_limit }),
    ...(Object.keys(configurable).length === 0 ? {} : { configurable }),
  };
  return {
    ...(Object.keys(config).length === 0 ? {} : { config }),
    ...(context === undefined ? {} : { context }),
    ...(configured.length === 0 ? {} : { configured }),
  };
}
