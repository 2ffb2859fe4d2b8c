import type { Artifact, Part, Task, TaskMessage, TaskState } from '../tasks/task.ts';
import { A2aFault, faultCodes, type FaultReason, fieldFault } from './a2a-fault.ts';
import type { Codec, IncomingMessage } from './codec.ts';
import {
  type Fields,
  MAX_PARTS,
  optional,
  present,
  readArray,
  readBoolean,
  readCount,
  readEach,
  readId,
  readJsonObject,
  readJsonValue,
  readObject,
  type Reader,
  readText,
} from './params-codec.ts';
import { versions } from './version-rules.ts';

/** A2A 1.0 in ProtoJSON (reference/a2a.md A2 to A8): the member's name tells objects apart, closing ends a stream. */

type Ids = Pick<Task, 'id' | 'context_id'>;

const states: Readonly<Record<TaskState, string>> = {
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
  push_not_supported: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
  unsupported_operation: 'UNSUPPORTED_OPERATION',
  content_type_not_supported: 'CONTENT_TYPE_NOT_SUPPORTED',
  extended_card_not_configured: 'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
  version_not_supported: 'VERSION_NOT_SUPPORTED',
};

export const v10Codec: Codec = {
  version: '1.0',
  closes_with_status: false,
  decodeSend(params) {
    const fields = readObject(params, 'params');
    const settings = optional(readObject, fields['configuration'], 'configuration') ?? {};
    const push = settings['taskPushNotificationConfig'];
    return {
      incoming: decodeMessage(fields['message'], 'message'),
      wait: !(
        optional(readBoolean, settings['returnImmediately'], 'configuration.returnImmediately') ?? false
      ),
      wants_push: optional(readObject, push, 'configuration.taskPushNotificationConfig') !== undefined,
      metadata: optional(readJsonObject, fields['metadata'], 'metadata') ?? {},
      ...present(
        'history_length',
        optional(readCount, settings['historyLength'], 'configuration.historyLength'),
      ),
      ...present(
        'accepted_output_modes',
        optional(readModes, settings['acceptedOutputModes'], 'configuration.acceptedOutputModes'),
      ),
    };
  },
  decodeGet(params) {
    const fields = readObject(params, 'params');
    return {
      task_id: readId(fields['id'], 'id'),
      ...present('context_id', readOptionalId(fields['contextId'], 'contextId')),
      ...present('history_length', optional(readCount, fields['historyLength'], 'historyLength')),
    };
  },
  encodeTask,
  encodeSendResult: (task) => ({ task: encodeTask(task) }),
  encodeEvent(task, event) {
    const ids = { taskId: task.id, contextId: task.context_id };
    if (event.kind === 'status')
      return { statusUpdate: { ...ids, status: encodeStatus(task, event.status) } };
    const { append, last_chunk: lastChunk } = event;
    return { artifactUpdate: { ...ids, artifact: encodeArtifact(event.artifact), append, lastChunk } };
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

const readModes: Reader<readonly string[]> = (value, field) => readEach(value, field, readText);
const readIds: Reader<readonly string[]> = (value, field) => readEach(value, field, readId);

/** ProtoJSON may write an unset string as an empty one. */
function readOptionalId(value: unknown, field: string): string | undefined {
  return value === '' ? undefined : optional(readId, value, field);
}

function decodeMessage(value: unknown, at: string): IncomingMessage {
  const fields = readObject(value, at);
  if (fields['role'] !== 'ROLE_USER') throw fieldFault(`${at}.role`, 'must be "ROLE_USER"');
  const references = optional(readIds, fields['referenceTaskIds'], `${at}.referenceTaskIds`);
  return {
    message: {
      message_id: readId(fields['messageId'], `${at}.messageId`),
      role: 'user',
      parts: decodeParts(fields['parts'], `${at}.parts`),
      ...present('reference_task_ids', references),
      ...present('metadata', optional(readJsonObject, fields['metadata'], `${at}.metadata`)),
    },
    ...present('context_id', readOptionalId(fields['contextId'], `${at}.contextId`)),
    ...present('task_id', readOptionalId(fields['taskId'], `${at}.taskId`)),
  };
}

function decodeParts(value: unknown, at: string): Part[] {
  const count = readArray(value, at).length;
  if (count === 0 || count > MAX_PARTS) throw fieldFault(at, `must hold 1 to ${MAX_PARTS} parts`);
  return readEach(value, at, decodePart);
}

const contents = ['text', 'data', 'raw', 'url'] as const;

function decodePart(value: unknown, at: string): Part {
  const fields = readObject(value, at);
  const content = contentOf(fields, at);
  const more = present('metadata', optional(readJsonObject, fields['metadata'], `${at}.metadata`));
  switch (content) {
    case 'text':
      return { kind: 'text', text: readText(fields['text'], `${at}.text`), ...more };
    case 'data':
      return { kind: 'data', data: readJsonValue(fields['data'], `${at}.data`), ...more };
    case 'raw':
    case 'url':
      throw new A2aFault('content_type_not_supported', `${at}: files are not supported; send text or data.`);
  }
}

/** Which content a part holds; null is a value for `data` only, and only where nothing else is held. */
function contentOf(fields: Fields, at: string): (typeof contents)[number] {
  const held = contents.filter((name) => fields[name] !== undefined && fields[name] !== null);
  const [content = fields['data'] === null ? 'data' : undefined] = held;
  if (content === undefined || held.length > 1)
    throw fieldFault(at, 'must hold exactly one of text, data, raw and url');
  return content;
}

function encodeTask(task: Task): object {
  return {
    id: task.id,
    contextId: task.context_id,
    status: encodeStatus(task, task.status),
    artifacts: task.artifacts.map(encodeArtifact),
    ...(task.history.length === 0
      ? {}
      : { history: task.history.map((message) => encodeMessage(task, message)) }),
  };
}

function encodeStatus(task: Ids, status: Task['status']): object {
  const said = status.message !== undefined && status.message.parts.length > 0 ? status.message : undefined;
  return {
    state: states[status.state],
    timestamp: status.at,
    ...(said === undefined ? {} : { message: encodeMessage(task, said) }),
  };
}

function encodeMessage(task: Ids, message: TaskMessage): object {
  return {
    messageId: message.message_id,
    role: message.role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT',
    parts: message.parts.map(encodePart),
    contextId: task.context_id,
    taskId: task.id,
    ...present('referenceTaskIds', message.reference_task_ids),
    ...present('metadata', message.metadata),
  };
}

function encodeArtifact(artifact: Artifact): object {
  const parts = artifact.parts.length === 0 ? [{ kind: 'text' as const, text: '' }] : artifact.parts;
  return {
    artifactId: artifact.artifact_id,
    ...present('name', artifact.name),
    parts: parts.map(encodePart),
  };
}

function encodePart(part: Part): object {
  const more = present('metadata', part.metadata);
  return part.kind === 'text' ? { text: part.text, ...more } : { data: part.data ?? null, ...more };
}
