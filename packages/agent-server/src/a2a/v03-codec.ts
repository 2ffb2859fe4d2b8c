import { type Artifact, isSettled, type Part, type Task, type TaskMessage } from '../tasks/task.ts';
import { A2aFault, faultCodes, fieldFault } from './a2a-fault.ts';
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
  readObject,
  type Reader,
  readText,
} from './params-codec.ts';

/** A2A 0.3.0 (reference/a2a.md A1 to A6): bare objects told apart by `kind`, lower-case states, `final` on the last. */

type Ids = Pick<Task, 'id' | 'context_id'>;

/** Marks a data part whose value is no object, which 0.3 requires; the official clients unwrap it. */
const WRAPPED = 'data_part_compat';

export const v03Codec: Codec = {
  version: '0.3',
  closes_with_status: true,
  decodeSend(params) {
    const fields = readObject(params, 'params');
    const settings = optional(readObject, fields['configuration'], 'configuration') ?? {};
    return {
      incoming: decodeMessage(fields['message'], 'message'),
      wait: optional(readBoolean, settings['blocking'], 'configuration.blocking') ?? true,
      wants_push:
        optional(readObject, settings['pushNotificationConfig'], 'configuration.pushNotificationConfig') !==
        undefined,
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
    optional(readObject, fields['metadata'], 'metadata');
    return {
      task_id: readId(fields['id'], 'id'),
      ...present('context_id', optional(readId, fields['contextId'], 'contextId')),
      ...present('history_length', optional(readCount, fields['historyLength'], 'historyLength')),
    };
  },
  encodeTask,
  encodeSendResult: encodeTask,
  encodeEvent(task, event) {
    const ids = { taskId: task.id, contextId: task.context_id };
    if (event.kind === 'status') {
      const final = isSettled(event.status.state);
      return { kind: 'status-update', ...ids, status: encodeStatus(task, event.status), final };
    }
    const { append, last_chunk: lastChunk } = event;
    return { kind: 'artifact-update', ...ids, artifact: encodeArtifact(event.artifact), append, lastChunk };
  },
  encodeFault: (fault) => ({
    code: faultCodes[fault.reason],
    message: fault.message,
    ...(fault.fields.length === 0 ? {} : { data: { fields: fault.fields } }),
  }),
};

const readModes: Reader<readonly string[]> = (value, field) => readEach(value, field, readText);
const readIds: Reader<readonly string[]> = (value, field) => readEach(value, field, readId);

function decodeMessage(value: unknown, at: string): IncomingMessage {
  const fields = readObject(value, at);
  if (fields['kind'] !== undefined && fields['kind'] !== 'message')
    throw fieldFault(`${at}.kind`, 'must be "message"');
  if (fields['role'] !== 'user') throw fieldFault(`${at}.role`, 'must be "user"');
  return {
    message: {
      message_id: readId(fields['messageId'], `${at}.messageId`),
      role: 'user',
      parts: decodeParts(fields['parts'], `${at}.parts`),
      ...present(
        'reference_task_ids',
        optional(readIds, fields['referenceTaskIds'], `${at}.referenceTaskIds`),
      ),
      ...present('metadata', optional(readJsonObject, fields['metadata'], `${at}.metadata`)),
    },
    ...present('context_id', optional(readId, fields['contextId'], `${at}.contextId`)),
    ...present('task_id', optional(readId, fields['taskId'], `${at}.taskId`)),
  };
}

function decodeParts(value: unknown, at: string): Part[] {
  const count = readArray(value, at).length;
  if (count === 0 || count > MAX_PARTS) throw fieldFault(at, `must hold 1 to ${MAX_PARTS} parts`);
  return readEach(value, at, decodePart);
}

function decodePart(value: unknown, at: string): Part {
  const fields = readObject(value, at);
  const metadata = optional(readJsonObject, fields['metadata'], `${at}.metadata`);
  const more = present('metadata', metadata);
  switch (fields['kind']) {
    case 'text':
      return { kind: 'text', text: readText(fields['text'], `${at}.text`), ...more };
    case 'data': {
      const data = readJsonObject(fields['data'], `${at}.data`);
      return { kind: 'data', data: metadata?.[WRAPPED] === true ? data['value'] : data, ...more };
    }
    case 'file':
      throw new A2aFault('content_type_not_supported', `${at}: files are not supported; send text or data.`);
    default:
      throw fieldFault(`${at}.kind`, 'must be "text" or "data"');
  }
}

function encodeTask(task: Task): object {
  return {
    kind: 'task',
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
    state: status.state,
    timestamp: status.at,
    ...(said === undefined ? {} : { message: encodeMessage(task, said) }),
  };
}

function encodeMessage(task: Ids, message: TaskMessage): object {
  return {
    kind: 'message',
    messageId: message.message_id,
    role: message.role,
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
  if (part.kind === 'text') return { kind: 'text', text: part.text, ...more };
  if (isPlainObject(part.data)) return { kind: 'data', data: part.data, ...more };
  return {
    kind: 'data',
    data: { value: part.data ?? null },
    metadata: { ...part.metadata, [WRAPPED]: true },
  };
}

function isPlainObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
