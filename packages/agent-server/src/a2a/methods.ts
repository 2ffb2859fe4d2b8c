import { A2aFault, type FaultReason } from './a2a-fault.ts';
import { getExtendedCard } from './extended-card.ts';
import { sendMessage } from './message-send.ts';
import { streamMessage } from './message-stream.ts';
import type { MethodCall, StreamItem } from './method-call.ts';
import { getTask } from './tasks-get.ts';
import { deletePush, getPush, listPush, setPush } from './push/push-methods.ts';
import type { Version } from './version-rules.ts';

/** A method of the protocol; one that streams answers in Server-Sent Events, its errors too. */
export type Method =
  | { readonly streams: false; readonly run: (call: MethodCall) => Promise<object | null> }
  | { readonly streams: true; readonly run: (call: MethodCall) => Promise<AsyncIterable<StreamItem>> };

const answers = (run: (call: MethodCall) => Promise<object | null>): Method => ({ streams: false, run });
const streams = (run: (call: MethodCall) => Promise<AsyncIterable<StreamItem>>): Method => ({
  streams: true,
  run,
});

/** A method of the protocol that this agent refuses, as its card says. */
const refuses = (reason: FaultReason, message: string) => async (): Promise<never> => {
  throw new A2aFault(reason, message);
};

const cancel = refuses('unsupported_operation', 'Tasks cannot be cancelled here.');
const subscribe = refuses(
  'unsupported_operation',
  'A stream cannot be taken up again here; ask for the task instead.',
);
const list = refuses('unsupported_operation', 'Tasks cannot be listed here; ask for each by its id.');

/** Every method of each version; any other is unknown. */
export const methods: Readonly<Record<Version, ReadonlyMap<string, Method>>> = {
  '0.3': new Map([
    ['message/send', answers(sendMessage)],
    ['message/stream', streams(streamMessage)],
    ['tasks/get', answers(getTask)],
    ['tasks/cancel', answers(cancel)],
    ['tasks/resubscribe', streams(subscribe)],
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
    ['ListTasks', answers(list)],
    ['CancelTask', answers(cancel)],
    ['SubscribeToTask', streams(subscribe)],
    ['CreateTaskPushNotificationConfig', answers(setPush)],
    ['GetTaskPushNotificationConfig', answers(getPush)],
    ['ListTaskPushNotificationConfigs', answers(listPush)],
    ['DeleteTaskPushNotificationConfig', answers(deletePush)],
    ['GetExtendedAgentCard', answers(getExtendedCard)],
  ]),
};
