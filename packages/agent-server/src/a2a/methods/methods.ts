import type { A2aVersion } from '@roadstead/contracts/agent-server';
import { A2aFault } from '../rpc/a2a-fault.ts';
import { sendMessage, streamMessage } from './message-methods.ts';
import type { MethodCall, StreamItem } from './method-call.ts';
import { deletePush, getPush, listPush, setPush } from './push-methods.ts';
import { cancelTask, getTask, listTasks, subscribeToTask } from './task-methods.ts';

/** A method of the protocol. One that streams sends its errors as Server-Sent Events too. */
export type Method =
  | { readonly streams: false; readonly run: (call: MethodCall) => Promise<object | null> }
  | { readonly streams: true; readonly run: (call: MethodCall) => Promise<AsyncIterable<StreamItem>> };

const answers = (run: (call: MethodCall) => Promise<object | null>): Method => ({ streams: false, run });
const streams = (run: (call: MethodCall) => Promise<AsyncIterable<StreamItem>>): Method => ({
  streams: true,
  run,
});

/** Every method of each version; any other is unknown. */
export const methods: Readonly<Record<A2aVersion, ReadonlyMap<string, Method>>> = {
  '0.3': new Map([
    ['message/send', answers(sendMessage)],
    ['message/stream', streams(streamMessage)],
    ['tasks/get', answers(getTask)],
    ['tasks/cancel', answers(cancelTask)],
    ['tasks/resubscribe', streams(subscribeToTask)],
    ['tasks/pushNotificationConfig/set', answers(setPush)],
    ['tasks/pushNotificationConfig/get', answers(getPush)],
    ['tasks/pushNotificationConfig/list', answers(listPush)],
    ['tasks/pushNotificationConfig/delete', answers(deletePush)],
    ['agent/getAuthenticatedExtendedCard', answers(getExtendedCard)],
  ]),
  '1.0': new Map([
    ['SendMessage', answers(sendMessage)],
    ['SendStreamingMessage', streams(streamMessage)],
    ['GetTask', answers(getTask)],
    ['ListTasks', answers(listTasks)],
    ['CancelTask', answers(cancelTask)],
    ['SubscribeToTask', streams(subscribeToTask)],
    ['CreateTaskPushNotificationConfig', answers(setPush)],
    ['GetTaskPushNotificationConfig', answers(getPush)],
    ['ListTaskPushNotificationConfigs', answers(listPush)],
    ['DeleteTaskPushNotificationConfig', answers(deletePush)],
    ['GetExtendedAgentCard', answers(getExtendedCard)],
  ]),
};

/**
 * `agent/getAuthenticatedExtendedCard`, `GetExtendedAgentCard`: the card that a graph shows only to callers with a key.
 */
async function getExtendedCard({ extendedCard, codec }: MethodCall): Promise<object> {
  const card = await extendedCard();
  if (card !== undefined) return card;
  throw new A2aFault(
    codec.version === '0.3' ? 'extended_card_not_configured' : 'unsupported_operation',
    'There is no extended card; the card says everything.',
  );
}
