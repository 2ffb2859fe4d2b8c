import type { TaskState } from '../../tasks/task.ts';
import { type A2aFault, faultCodes, type FaultReason } from '../rpc/a2a-fault.ts';
import type { Codec } from './codec.ts';
import { readHistoryScope } from '../extensions/history-scope.ts';
import {
  optional,
  present,
  readBoolean,
  readCount,
  readId,
  readJsonObject,
  readProtoObject,
} from '../rpc/params-codec.ts';
import { pushCodecs } from './push-codec.ts';
import { decodeMessage, encodersOf, readModes } from './shared-codec.ts';
import { protoNames } from '../rpc/proto-names.ts';
import { decodePart, encodePart } from './v10-parts.ts';
import { versions } from '../rpc/version-rules.ts';

/** A2A 1.0 in ProtoJSON: objects are distinguished by the name of their member, and a stream ends by closing. */

export const wireStates: Readonly<Record<TaskState, string>> = {
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  canceled: 'TASK_STATE_CANCELED',
  rejected: 'TASK_STATE_REJECTED',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  'auth-required': 'TASK_STATE_AUTH_REQUIRED',
};

/** Reasons of google.rpc.ErrorInfo, for the errors that A2A itself defines. */
const reasons: Readonly<Partial<Record<FaultReason, string>>> = {
  task_not_found: 'TASK_NOT_FOUND',
  task_not_cancelable: 'TASK_NOT_CANCELABLE',
  push_not_supported: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
  unsupported_operation: 'UNSUPPORTED_OPERATION',
  content_type_not_supported: 'CONTENT_TYPE_NOT_SUPPORTED',
  extended_card_not_configured: 'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
  version_not_supported: 'VERSION_NOT_SUPPORTED',
};

const encode = encodersOf({
  state: (state) => wireStates[state],
  role: (role) => (role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT'),
  part: encodePart,
  names: protoNames,
  tag: () => ({}),
});

export const v10Codec: Codec = {
  version: '1.0',
  closes_with_status: false,
  decodeSend(params) {
    const fields = readProtoObject(params, 'params');
    const settings = optional(readProtoObject)(fields['configuration'], 'configuration') ?? {};
    const push = settings['taskPushNotificationConfig'];
    return {
      incoming: decodeMessage(fields['message'], 'message', {
        role: 'ROLE_USER',
        fields: readProtoObject,
        part: decodePart,
        id: readOptionalId,
      }),
      wait: !(
        optional(readBoolean)(settings['returnImmediately'], 'configuration.returnImmediately') ?? false
      ),
      ...present(
        'push',
        optional(pushCodecs['1.0'].readRequest)(push, 'configuration.taskPushNotificationConfig'),
      ),
      metadata: optional(readJsonObject)(fields['metadata'], 'metadata') ?? {},
      ...present(
        'history_length',
        optional(readCount)(settings['historyLength'], 'configuration.historyLength'),
      ),
      ...present(
        'history_scope',
        optional(readHistoryScope)(settings['historyScope'], 'configuration.historyScope'),
      ),
      ...present(
        'accepted_output_modes',
        optional(readModes)(settings['acceptedOutputModes'], 'configuration.acceptedOutputModes'),
      ),
    };
  },
  decodeGet(params) {
    const fields = readProtoObject(params, 'params');
    return {
      task_id: readId(fields['id'], 'id'),
      ...present('context_id', readOptionalId(fields['contextId'], 'contextId')),
      ...present('history_length', optional(readCount)(fields['historyLength'], 'historyLength')),
      ...present('history_scope', optional(readHistoryScope)(fields['historyScope'], 'historyScope')),
    };
  },
  decodeTaskId(params) {
    const fields = readProtoObject(params, 'params');
    optional(readProtoObject)(fields['metadata'], 'metadata');
    return { task_id: readId(fields['id'], 'id') };
  },
  encodeTask: encode.task,
  encodeSendResult: (task) => ({ task: encode.task(task) }),
  encodeAnswer: (task) => {
    const message = encode.answer(task);
    return message && { message };
  },
  encodeEvent(task, event) {
    const ids = { taskId: task.id, contextId: task.context_id };
    if (event.kind === 'status')
      return { statusUpdate: { ...ids, status: encode.status(task, event.status) } };
    const { append, last_chunk: lastChunk } = event;
    return { artifactUpdate: { ...ids, artifact: encode.artifact(event.artifact), append, lastChunk } };
  },
  encodeFault(fault) {
    const data = errorDetails(fault);
    return {
      code: faultCodes[fault.reason],
      message: fault.message,
      ...(data.length === 0 ? {} : { data }),
    };
  },
};

function errorDetails(fault: A2aFault): object[] {
  const reason = reasons[fault.reason];
  const metadata = fault.reason === 'version_not_supported' ? { supportedVersions: versions.join(', ') } : {};
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: 'a2a-protocol.org',
    metadata,
  };
  const bad = { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: fault.fields };
  return [...(reason === undefined ? [] : [info]), ...(fault.fields.length === 0 ? [] : [bad])];
}

/** ProtoJSON may write an unset string as an empty one. */
function readOptionalId(value: unknown, field: string): string | undefined {
  return value === '' ? undefined : optional(readId)(value, field);
}
