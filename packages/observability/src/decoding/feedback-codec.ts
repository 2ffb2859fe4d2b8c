import { membersOf } from '@roadstead/json';
import { Problem } from '@roadstead/kit';
import {
  FEEDBACK_COMMENT_LENGTH,
  FEEDBACK_JSON_LENGTH,
  FEEDBACK_KEY_LENGTH,
  isScore,
} from '../records/feedback-rules.ts';
import { columnJson, columnText } from '../values/column-text-rules.ts';
import { readInstant, readText, readUuid, type SentField } from './run-fields-rules.ts';
import type { FeedbackOperation } from '../records/run-operation.ts';
import { readMembers, type BodyReading } from './sent-json-codec.ts';

const names = [
  'key',
  'run_id',
  'trace_id',
  'session_id',
  'score',
  'value',
  'comment',
  'correction',
  'feedback_source',
  'feedback_group_id',
  'comparative_experiment_id',
  'error',
  'extra',
  'created_at',
  'extend_trace_retention',
  '_skip_trace_upgrade',
] as const;
type Name = (typeof names)[number];

/** One feedback; undefined, with a noted fault, where it has no key or can't be read. A wrong field is left out. */
export async function feedbackOf(
  feedback_id: string,
  json: Uint8Array,
  reading: BodyReading,
): Promise<FeedbackOperation | undefined> {
  const { faults, slice } = reading;
  const at = `feedback.${feedback_id}`;
  const members = await membersOf(json, slice);
  const fields = members && (await readMembers(members, { names, at }, reading));
  const of = (name: Name): SentField => ({ value: fields?.[name], at: `${at}.${name}`, faults });
  const key = readText({ ...of('key'), max_length: FEEDBACK_KEY_LENGTH });
  if (fields === undefined || key === undefined) {
    faults.add(
      fields === undefined ? at : `${at}.key`,
      'is missing or unreadable, and the feedback is left out',
    );
    return undefined;
  }
  const source = readObject(of('feedback_source'));
  return {
    feedback_id,
    key,
    run_id: readUuid(of('run_id')) ?? null,
    trace_id: readUuid(of('trace_id')) ?? null,
    session_id: readUuid(of('session_id')) ?? null,
    score: readScore(of('score')),
    value: readJsonValue(of('value')),
    comment: readText({ ...of('comment'), max_length: FEEDBACK_COMMENT_LENGTH }) ?? null,
    correction: readJsonValue(of('correction')),
    source_type: typeof source?.['type'] === 'string' ? source['type'].slice(0, 100) : 'api',
    source: source ?? { type: 'api' },
    feedback_group_id: readUuid(of('feedback_group_id')) ?? null,
    comparative_experiment_id: readUuid(of('comparative_experiment_id')) ?? null,
    error: fields['error'] === true,
    extra: readObject(of('extra')),
    created_at: readInstant(of('created_at')) ?? null,
    extends_retention: fields['extend_trace_retention'] === true && fields['_skip_trace_upgrade'] !== true,
    bytes: json.length,
  };
}

function readScore({ value, at, faults }: SentField): number | null {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number' && isScore(value)) return value;
  if (value !== undefined && value !== null) faults.add(at, 'is no number that is kept, and is left out');
  return null;
}

function readJsonValue({ value, at, faults }: SentField): unknown {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object') return typeof value === 'string' ? columnText(value) : value;
  try {
    if (JSON.stringify(value).length <= FEEDBACK_JSON_LENGTH) return columnJson(value, at);
  } catch (error) {
    if (!(error instanceof Problem || error instanceof RangeError)) throw error;
  }
  faults.add(at, `is nested too deeply or longer than ${FEEDBACK_JSON_LENGTH} characters, and is left out`);
  return null;
}

function readObject(field: SentField): Record<string, unknown> | null {
  const value = readJsonValue(field);
  if (value === null || (typeof value === 'object' && !Array.isArray(value)))
    return value as Record<string, unknown> | null;
  field.faults.add(field.at, 'is not a JSON object, and is left out');
  return null;
}
