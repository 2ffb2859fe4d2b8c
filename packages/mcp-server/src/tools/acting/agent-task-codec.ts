import { unexpectedAnswer } from '../tool-error.ts';

/** Converts an agent's A2A answers for display by tools. */

export interface AgentTask {
  readonly task_id: string;
  readonly context_id: string;
  readonly state: string;
  /** Its answer; where it isn’t done, its status message or its question. */
  readonly text: string;
  readonly data?: unknown;
}

interface SentPart {
  readonly kind?: unknown;
  readonly text?: unknown;
  readonly data?: unknown;
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** Why it accepted no message; undefined where it did. */
export function refusalIn(answer: unknown): string | undefined {
  const error = isRecord(answer) ? answer['error'] : undefined;
  if (!isRecord(error)) return undefined;
  return textOf(error['message']) || `error ${String(error['code'])}`;
}

/** @throws Problem for an answer that is not an agent's */
export function readTask(answer: unknown): AgentTask {
  const result = isRecord(answer) ? answer['result'] : undefined;
  if (!isRecord(result)) throw unexpectedAnswer();
  const status = isRecord(result['status']) ? result['status'] : {};
  // An agent may answer with a message alone.
  const isMessage = result['kind'] === 'message';
  const said = isRecord(status['message']) ? status['message']['parts'] : undefined;
  const artifacts = listOf(result['artifacts']).map((one) => (isRecord(one) ? one['parts'] : undefined));
  const answered = isMessage ? [result['parts']] : artifacts;
  const state = isMessage ? 'completed' : textOf(status['state']);
  const from = state === 'completed' || said === undefined ? answered : [said];
  const parts = from.flatMap((one) => listOf(one)).filter(isRecord);
  const data = parts.filter((part: SentPart) => part.data !== undefined).map((part) => dataOf(part));
  return {
    task_id: textOf(isMessage ? result['taskId'] : result['id']),
    context_id: textOf(result['contextId']),
    state,
    text: textIn(from),
    ...(data.length === 0 ? {} : { data: data.length === 1 ? data[0] : data }),
  };
}

/** The parts of one artifact are one text; each artifact begins a new line. */
const textIn = (artifacts: readonly unknown[]) =>
  artifacts
    .map((parts) =>
      listOf(parts)
        .filter(isRecord)
        .map((part) => textOf(part['text']))
        .join(''),
    )
    .filter((text) => text !== '')
    .join('\n');

/** A value that is no object travels under `value`, marked in the metadata. */
function dataOf({ data, metadata }: Readonly<Record<string, unknown>>): unknown {
  const isWrapped = isRecord(metadata) && metadata['data_part_compat'] === true;
  return isWrapped && isRecord(data) ? data['value'] : data;
}
