import type { Task, TaskMessage } from '../tasks/task.ts';
import { fieldFault } from './a2a-fault.ts';
import type { MethodCall } from './method-call.ts';
import type { Reader } from './params-codec.ts';

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

/** Of a context with more tasks before this one the newest are shown. */
const MOST_TASKS = 100;
/** Of a list with the histories of contexts, since each is as large as its context. */
export const SMALL_PAGE = 10;

interface Asked {
  readonly history_scope?: HistoryScope | undefined;
  readonly history_length?: number | undefined;
}

/** The task with the history that was asked for, before it is cut to its length. */
export async function inScope(
  { engine, owner, header_scope }: MethodCall,
  task: Task,
  { history_scope: scope = header_scope, history_length }: Asked,
): Promise<Task> {
  if (scope !== 'context' || history_length === 0) return task;
  const { tasks } = await engine.list(owner, {
    context_id: task.context_id,
    limit: MOST_TASKS,
    with_history: true,
    with_artifacts: true,
  });
  // Ids rise with time.
  const before = tasks
    .filter(({ id }) => id < task.id)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return { ...task, history: [...before.flatMap(messagesOf), ...task.history] };
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
