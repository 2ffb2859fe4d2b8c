import type { AccessRules, Caller } from '../access/caller.ts';
import { seesAssistant } from '../access/assistant-access.ts';
import { containmentOf } from '../access/filter-rules.ts';
import type { ServedAssistant } from '../engine/served-revision.ts';
import type { Owner } from '../tasks/task-engine.ts';

/**
 * The action on threads for which the deployment's own `auth` is asked, per method. A method that is missing here acts
 * on none.
 */
const actions: ReadonlyMap<string, string> = new Map([
  ...of('create_run', ['message/send', 'message/stream', 'SendMessage', 'SendStreamingMessage']),
  ...of('search', ['ListTasks']),
  ...of('read', [
    'tasks/get',
    'tasks/resubscribe',
    'tasks/pushNotificationConfig/get',
    'tasks/pushNotificationConfig/list',
    'GetTask',
    'SubscribeToTask',
    'GetTaskPushNotificationConfig',
    'ListTaskPushNotificationConfigs',
  ]),
  ...of('update', [
    'tasks/cancel',
    'tasks/pushNotificationConfig/set',
    'tasks/pushNotificationConfig/delete',
    'CancelTask',
    'CreateTaskPushNotificationConfig',
    'DeleteTaskPushNotificationConfig',
  ]),
]);

function of(action: string, methods: readonly string[]): (readonly [string, string])[] {
  return methods.map((method) => [method, action]);
}

/**
 * Finds whose tasks a caller may use with a method: its own, if the deployment's `auth` allows the method, and of these
 * only tasks whose threads pass its filters. Metadata that `auth` stamps is kept with the threads that begin.
 * @throws Problem `forbidden`
 */
export async function ownerFor(
  access: AccessRules,
  {
    caller,
    method,
    assistant_id,
  }: { readonly caller: Caller; readonly method: string; readonly assistant_id: string },
): Promise<Owner> {
  const { principal, user } = caller;
  const owner = { principal, assistant_id, ...(user === null ? {} : { user }) };
  const action = actions.get(method);
  if (action === undefined) return owner;
  const asked = { thread_id: null, metadata: {} };
  const run = {
    ...asked,
    assistant_id,
    run_id: null,
    status: 'pending',
    prevent_insert_if_inflight: false,
    multitask_strategy: 'enqueue',
    if_not_exists: 'create',
    after_seconds: 0,
    kwargs: {},
  };
  const value = action === 'create_run' ? run : asked;
  const { value: allowed, filters } = await access.authorize(caller, { resource: 'threads', action, value });
  const thread_metadata = { ...(allowed['metadata'] as object | null) };
  return { ...owner, thread_metadata, ...(filters === null ? {} : { within: containmentOf(filters) }) };
}

/** Whether a caller sees an assistant: every caller sees those of graphs, while `auth` decides about others. */
export async function isSeen(
  access: AccessRules,
  { caller, assistant }: { readonly caller: Caller; readonly assistant: ServedAssistant },
): Promise<boolean> {
  const { assistant_id, settings, is_made = false } = assistant;
  const metadata = settings?.metadata ?? {};
  return !is_made || seesAssistant(access, { caller, assistant: { assistant_id, metadata } });
}
