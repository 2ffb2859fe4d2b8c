import type { PushConfig, PushConfigs } from '../../push/push-config.ts';
import type { Task } from '../../tasks/task.ts';
import { A2aFault } from '../rpc/a2a-fault.ts';
import type { MethodCall } from './method-call.ts';
import { readTask } from './task-methods.ts';
import { pushCodecs } from '../codecs/push-codec.ts';

/** The methods of push notification configs, in both versions. */

const noSuchConfig = () => new A2aFault('task_not_found', 'There is no such push notification config.');

/** `tasks/pushNotificationConfig/set`, `CreateTaskPushNotificationConfig`. */
export async function setPush(call: MethodCall): Promise<object> {
  const configs = configsOf(call);
  const { task_id, request } = codecOf(call).decodeSet(call.params);
  const task = await readTask(call, task_id);
  return codecOf(call).encode(await configs.set(request, pushTask(call, task)));
}

export async function getPush(call: MethodCall): Promise<object> {
  const configs = configsOf(call);
  const { task_id, config_id } = codecOf(call).decodeGet(call.params);
  await readTask(call, task_id);
  const known = await configs.list(task_id);
  const wanted = config_id ?? task_id;
  const found =
    known.find((one) => one.config_id === wanted) ?? (config_id === undefined ? known[0] : undefined);
  if (found === undefined) throw noSuchConfig();
  return codecOf(call).encode(found);
}

export async function listPush(call: MethodCall): Promise<object> {
  const configs = configsOf(call);
  const { task_id, page_size, after } = codecOf(call).decodeList(call.params);
  await readTask(call, task_id);
  const known = await configs.list(task_id);
  const begin = after === undefined ? 0 : known.findIndex((one) => one.config_id === after) + 1;
  const end = begin + (page_size ?? known.length);
  const page = known.slice(begin, end);
  return codecOf(call).encodeList(page, nextOf(page, end < known.length));
}

const nextOf = (page: readonly PushConfig[], has_more: boolean) =>
  has_more ? (page.at(-1)?.config_id ?? '') : '';

/** Deleting a config that is gone succeeds. */
export async function deletePush(call: MethodCall): Promise<object | null> {
  const configs = configsOf(call);
  const { task_id, config_id } = codecOf(call).decodeDelete(call.params);
  await readTask(call, task_id);
  await configs.remove(task_id, config_id);
  return codecOf(call).deleted;
}

const codecOf = ({ codec }: MethodCall) => pushCodecs[codec.version];

export const pushTask = ({ owner, codec }: MethodCall, { id, seq }: Task) => ({
  owner,
  task_id: id,
  version: codec.version,
  seq,
});

/** @throws A2aFault where this agent sends no push notifications */
export function configsOf({ push }: MethodCall): PushConfigs {
  if (push === undefined)
    throw new A2aFault(
      'push_not_supported',
      'Push notifications are not supported; stream, or ask for the task.',
    );
  return push;
}
