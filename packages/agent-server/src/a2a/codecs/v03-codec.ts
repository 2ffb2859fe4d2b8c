import { isSettled } from '../../tasks/task.ts';
import { faultCodes, fieldFault } from '../rpc/a2a-fault.ts';
import type { Codec, IncomingMessage } from './codec.ts';
import { readHistoryScope } from '../extensions/history-scope.ts';
import {
  optional,
  present,
  readBoolean,
  readCount,
  readId,
  readJsonObject,
  readObject,
} from '../rpc/params-codec.ts';
import { pushCodecs } from './push-codec.ts';
import { decodeMessage, encodersOf, readModes } from './shared-codec.ts';
import { decodePart, encodePart } from './v03-parts.ts';

/** A2A 0.3.0: bare objects distinguished by `kind`, lower-case states, `final` on the last. */

const encode = encodersOf({
  state: (state) => state,
  role: (role) => role,
  part: encodePart,
  names: (fields) => fields,
  tag: (kind) => ({ kind }),
});

export const v03Codec: Codec = {
  version: '0.3',
  closes_with_status: true,
  decodeSend(params) {
    const fields = readObject(params, 'params');
    const settings = optional(readObject)(fields['configuration'], 'configuration') ?? {};
    return {
      incoming: decodeIncoming(fields['message'], 'message'),
      wait: optional(readBoolean)(settings['blocking'], 'configuration.blocking') ?? true,
      ...present(
        'push',
        optional(pushCodecs['0.3'].readRequest)(
          settings['pushNotificationConfig'],
          'configuration.pushNotificationConfig',
        ),
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
    const fields = readObject(params, 'params');
    optional(readObject)(fields['metadata'], 'metadata');
    return {
      task_id: readId(fields['id'], 'id'),
      ...present('context_id', optional(readId)(fields['contextId'], 'contextId')),
      ...present('history_length', optional(readCount)(fields['historyLength'], 'historyLength')),
      ...present('history_scope', optional(readHistoryScope)(fields['historyScope'], 'historyScope')),
    };
  },
  decodeTaskId(params) {
    const fields = readObject(params, 'params');
    optional(readObject)(fields['metadata'], 'metadata');
    return { task_id: readId(fields['id'], 'id') };
  },
  encodeTask: encode.task,
  encodeSendResult: encode.task,
  encodeAnswer: encode.answer,
  encodeEvent(task, event) {
    const ids = { taskId: task.id, contextId: task.context_id };
    if (event.kind === 'status') {
      const final = isSettled(event.status.state);
      return { kind: 'status-update', ...ids, status: encode.status(task, event.status), final };
    }
    const { append, last_chunk: lastChunk } = event;
    return { kind: 'artifact-update', ...ids, artifact: encode.artifact(event.artifact), append, lastChunk };
  },
  encodeFault: (fault) => ({
    code: faultCodes[fault.reason],
    message: fault.message,
    ...(fault.fields.length === 0 ? {} : { data: { fields: fault.fields } }),
  }),
};

function decodeIncoming(value: unknown, at: string): IncomingMessage {
  const { kind } = readObject(value, at);
  if (kind !== undefined && kind !== 'message') throw fieldFault(`${at}.kind`, 'must be "message"');
  const id = (given: unknown, field: string) => optional(readId)(given, field);
  return decodeMessage(value, at, { role: 'user', fields: readObject, part: decodePart, id });
}
