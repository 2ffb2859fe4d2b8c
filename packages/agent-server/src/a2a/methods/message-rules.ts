import type { A2aVersion } from '@roadstead/contracts/agent-server';
import { interruptedStates, type Task, type TaskMessage, terminalStates } from '../../tasks/task.ts';
import { A2aFault, fieldFault, taskNotFound } from '../rpc/a2a-fault.ts';
import type { IncomingMessage } from '../codecs/codec.ts';

/** The action that a message calls for. */
export type Action =
  | { readonly kind: 'begin'; readonly context_id: string | undefined; readonly message: TaskMessage }
  | { readonly kind: 'resume'; readonly task: Task }
  /** The message was accepted before: its task is the answer. */
  | { readonly kind: 'answer'; readonly task: Task }
  | { readonly kind: 'refuse'; readonly fault: A2aFault };

export interface Circumstances {
  readonly version: A2aVersion;
  readonly incoming: IncomingMessage;
  /** The caller's task of `incoming.task_id`, where there is one. */
  readonly task: Task | undefined;
  /** Whether the message that the task took before under this id is the same; undefined where it took none. */
  readonly repeats?: boolean | undefined;
}

export function actionFor({ version, incoming, task, repeats }: Circumstances): Action {
  const { message, context_id, task_id } = incoming;
  if (task_id === undefined) return { kind: 'begin', context_id, message };
  if (task === undefined) return { kind: 'refuse', fault: taskNotFound() };
  if (context_id !== undefined && context_id !== task.context_id)
    return { kind: 'refuse', fault: fieldFault('message.contextId', 'is not the context of the task') };
  if (repeats === true) return { kind: 'answer', task };
  if (repeats === false)
    return { kind: 'refuse', fault: fieldFault('message.messageId', 'was used for another message') };
  if (interruptedStates.includes(task.status.state)) return { kind: 'resume', task };
  if (!terminalStates.includes(task.status.state))
    return refuse('unsupported_operation', 'The task is still working: wait for its end or cancel it first.');
  if (version === '1.0')
    return refuse(
      'unsupported_operation',
      'The task has ended: send the message with its contextId and without taskId to begin a new one.',
    );
  return { kind: 'begin', context_id: task.context_id, message: referringTo(task, message) };
}

function refuse(reason: A2aFault['reason'], message: string): Action {
  return { kind: 'refuse', fault: new A2aFault(reason, message) };
}

/** The message that the task took before under this id. */
export function takenAs({ history }: Task, { message_id }: TaskMessage): TaskMessage | undefined {
  return history.find((one) => one.role === 'user' && one.message_id === message_id);
}

function referringTo(task: Task, message: TaskMessage): TaskMessage {
  const others = (message.reference_task_ids ?? []).filter((id) => id !== task.id);
  return { ...message, reference_task_ids: [task.id, ...others] };
}
