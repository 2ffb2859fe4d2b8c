import type { EarlierTasks, Owner, TaskEngine } from '../../tasks/task-engine.ts';
import type { Task, TaskMessage } from '../../tasks/task.ts';
import { fieldFault } from '../rpc/a2a-fault.ts';
import type { Reader } from '../rpc/params-codec.ts';

/** Which messages the history of a task holds: its own, as in the protocol, or also those of its context before it. */
export type HistoryScope = 'task' | 'context';

export const HISTORY_SCOPE_URI = 'https://langchain.com/a2a/extensions/history-scope/v1';
const HEADER = 'LangGraph-A2A-History-Scope';

/** The extension as agent cards declare it. `required: false` is left out: clients drop it from what they verify. */
export const historyScopeExtension = {
  uri: HISTORY_SCOPE_URI,
  description: 'Choose task-only or full-context response history',
  params: {
    header: HEADER,
    values: ['context', 'task'],
    default: 'task',
    methods: ['SendMessage', 'SendStreamingMessage', 'GetTask', 'ListTasks'],
  },
} as const;

export const readHistoryScope: Reader<HistoryScope> = (value, field) => {
  if (value !== 'context' && value !== 'task') throw fieldFault(field, "must be 'context' or 'task'");
  return value;
};

/** The scope that a header names, for clients that cannot change the params they send. */
export function headerScope(headers: Headers): HistoryScope | undefined {
  const value = headers.get(HEADER)?.trim() ?? '';
  return value === '' ? undefined : readHistoryScope(value, HEADER);
}

/** How much of the earlier tasks an answer may hold; beyond that only the newest are shown. */
const MAX_LENGTH = 8 * 1024 * 1024;
/** The page size of a list with histories of contexts, since each is as large as its context. */
export const SMALL_PAGE = 10;

/** Who asks for histories, and whose they are. */
interface HistoryCall {
  readonly engine: Pick<TaskEngine, 'earlier'>;
  readonly owner: Owner;
  /** The scope that a header names. */
  readonly header_scope: HistoryScope | undefined;
}

interface HistoryRequest {
  readonly history_scope?: HistoryScope | undefined;
  readonly history_length?: number | undefined;
}

/** The task with the history that was asked for, before it is cut to its length. */
export async function inScope(call: HistoryCall, task: Task, request: HistoryRequest): Promise<Task> {
  const [scoped = task] = await allInScope(call, [task], request);
  return scoped;
}

/** Reads each context once for several tasks, provided that all before the newest task fits. */
export async function allInScope(
  { engine, owner, header_scope }: HistoryCall,
  tasks: readonly Task[],
  { history_scope: scope = header_scope, history_length }: HistoryRequest,
): Promise<readonly Task[]> {
  if (scope !== 'context' || history_length === 0) return tasks;
  const max_length = MAX_LENGTH / Math.max(1, tasks.length);
  const scoped = new Map<Task, Task>();
  for (const [context_id, of_context] of Map.groupBy(tasks, (task) => task.context_id)) {
    let read: EarlierTasks | undefined;
    // Ids rise with time.
    for (const task of of_context.toSorted((one, other) => (one.id > other.id ? -1 : 1))) {
      if (read === undefined || read.has_more)
        read = await engine.earlier(owner, { context_id, before: task.id, max_length });
      const before = read.tasks.filter(({ id }) => id < task.id).toReversed();
      scoped.set(task, { ...task, history: [...before.flatMap(messagesOf), ...task.history] });
    }
  }
  return tasks.map((task) => scoped.get(task) ?? task);
}

/** The messages of a task, and its answers, which the task keeps apart. */
function messagesOf({ id: task_id, history, artifacts }: Task): TaskMessage[] {
  const answers = artifacts.map(({ artifact_id, parts }) => ({
    message_id: artifact_id,
    role: 'agent' as const,
    parts,
  }));
  return [...history, ...answers].map((message) => ({ ...message, task_id }));
}
