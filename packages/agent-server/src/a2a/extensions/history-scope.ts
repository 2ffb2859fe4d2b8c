import type { EarlierTasks, Owner, TaskEngine } from '../../tasks/task-engine.ts';
import type { Task, TaskMessage } from '../../tasks/task.ts';
import { fieldFault } from '../rpc/a2a-fault.ts';
import type { Reader } from '../rpc/params-codec.ts';

/** Whose messages the history of a task holds: its own, as the protocol has it, or also those of its context before it. */
export type HistoryScope = 'task' | 'context';

export const HISTORY_SCOPE_URI = 'https://langchain.com/a2a/extensions/history-scope/v1';
const HEADER = 'LangGraph-A2A-History-Scope';

/** As agent cards say it. That nobody is required to use it is not said: clients leave it out of what they verify. */
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

/** For clients that can add nothing to what they send. */
export function headerScope(headers: Headers): HistoryScope | undefined {
  const value = headers.get(HEADER)?.trim() ?? '';
  return value === '' ? undefined : readHistoryScope(value, HEADER);
}

/** What an answer may hold of the tasks before those that it shows: of more the newest are shown. */
const MAX_LENGTH = 8 * 1024 * 1024;
/** Of a list with the histories of contexts, since each is as large as its context. */
export const SMALL_PAGE = 10;

/** Who asks for histories, and whom they are asked of. */
interface HistoryCall {
  readonly engine: Pick<TaskEngine, 'earlier'>;
  readonly owner: Owner;
  /** The scope that a header names. */
  readonly header_scope: HistoryScope | undefined;
}

interface Asked {
  readonly history_scope?: HistoryScope | undefined;
  readonly history_length?: number | undefined;
}

/** The task with the history that was asked for, before it is cut to its length. */
export async function inScope(call: HistoryCall, task: Task, asked: Asked): Promise<Task> {
  const [scoped = task] = await allInScope(call, [task], asked);
  return scoped;
}

/** Of several tasks each context is read once, where all that came before the newest of them fits. */
export async function allInScope(
  { engine, owner, header_scope }: HistoryCall,
  tasks: readonly Task[],
  { history_scope: scope = header_scope, history_length }: Asked,
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

/** What was said in a task: its messages, and its answers, which stand apart in the task itself. */
function messagesOf({ id: task_id, history, artifacts }: Task): TaskMessage[] {
  const answers = artifacts.map(({ artifact_id, parts }) => ({
    message_id: artifact_id,
    role: 'agent' as const,
    parts,
  }));
  return [...history, ...answers].map((message) => ({ ...message, task_id }));
}
