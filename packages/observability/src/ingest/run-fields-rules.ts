import { isUuid, malformed } from '@roadstead/kit';
import { instantOf } from '../runs/instant-rules.ts';
import { columnText } from './column-text-rules.ts';
import { previewOf } from './preview-rules.ts';
import {
  type PayloadKind,
  payloadKinds,
  type Payloads,
  type RunOperation,
  type SessionRef,
  type Verb,
} from './run-operation.ts';
import { usageOf } from './usage-rules.ts';

/** Reads what a dialect sent of one run into an operation: the hot fields checked, the payloads summarised. */

/** A payload as it was sent, and what it means. */
export interface SentPayload {
  readonly json: Uint8Array;
  readonly value: unknown;
}

export interface SentRun {
  /** Names the run in errors, as the client knows it: a part's name, or `post.0` of a batch. */
  readonly at: string;
  readonly verb: Verb;
  readonly run_id: string;
  /** Absent where only payloads were sent. */
  readonly main: Readonly<Record<string, unknown>> | undefined;
  readonly payloads: Payloads<SentPayload>;
}

/** Longer ones are cut, so that they fit into an index; readers cut what they look for. */
export const THREAD_ID_LENGTH = 512;
const SESSION_NAME_LENGTH = 500;
const NAME_LENGTH = 2000;
const DOTTED_ORDER = /^[\w:.-]+$/;

/** @throws Problem `malformed` naming the run and the field. */
export function runOperationOf(sent: SentRun): RunOperation {
  const payloads = Object.fromEntries(
    payloadKinds.flatMap((kind) => {
      const payload = sent.payloads[kind];
      return payload === undefined || payload.value === null ? [] : [[kind, payload.json]];
    }),
  );
  const fields = { ...mainFields(sent), ...summaryFields(sent.payloads) };
  return {
    verb: sent.verb,
    run_id: sent.run_id,
    has_main: sent.main !== undefined,
    fields: withoutUndefined(fields),
    payloads,
  };
}

function mainFields({ at, main = {} }: SentRun) {
  const where = (name: string) => `${at}.${name}`;
  const uuid = (name: string) => readUuid(main[name], where(name));
  return {
    trace_id: uuid('trace_id'),
    dotted_order: readDottedOrder(main['dotted_order'], where('dotted_order')),
    parent_run_id: uuid('parent_run_id'),
    name: readText(main['name'], where('name'), NAME_LENGTH),
    run_type: readText(main['run_type'], where('run_type'), 100),
    start_time: readInstant(main['start_time'], where('start_time')),
    end_time: readInstant(main['end_time'], where('end_time')),
    first_token_time: readInstant(main['first_token_time'], where('first_token_time')),
    session: sessionOf(
      uuid('session_id'),
      readText(main['session_name'], where('session_name'), SESSION_NAME_LENGTH),
    ),
    reference_example_id: uuid('reference_example_id'),
    tags: readTags(main['tags'], where('tags')),
  };
}

function summaryFields(payloads: Payloads<SentPayload>) {
  const preview = (kind: PayloadKind) => {
    const payload = payloads[kind];
    return payload === undefined || payload.value === null
      ? undefined
      : previewOf(payload.value, payload.json);
  };
  const error = preview('error');
  const first_token_time = firstTokenOf(payloads.events?.value);
  return {
    inputs_preview: preview('inputs'),
    outputs_preview: preview('outputs'),
    error_preview: error === '' ? undefined : error,
    thread_id: threadOf(payloads.extra?.value),
    usage: usageOf({ outputs: payloads.outputs?.value, extra: payloads.extra?.value }),
    ...(first_token_time === undefined ? {} : { first_token_time }),
  };
}

/** The conversation that a run says it belongs to (reference B2). */
function threadOf(extra: unknown): string | undefined {
  const metadata = field(extra, 'metadata');
  for (const name of ['thread_id', 'session_id', 'conversation_id']) {
    const value = field(metadata, name);
    if (typeof value === 'number' || (typeof value === 'string' && value !== ''))
      return columnText(String(value), THREAD_ID_LENGTH);
  }
  return undefined;
}

function firstTokenOf(events: unknown): string | undefined {
  if (!Array.isArray(events)) return undefined;
  const first: unknown = events.find((event: unknown) => field(event, 'name') === 'new_token');
  return instantOf(field(first, 'time'));
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function sessionOf(id: string | undefined, name: string | undefined): SessionRef | undefined {
  return id === undefined && (name === undefined || name === '') ? undefined : { id, name };
}

export function readUuid(value: unknown, at: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || !isUuid(value)) throw malformed([at], 'is not a UUID');
  return value.toLowerCase();
}

export function readText(value: unknown, at: string, max_length: number): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw malformed([at], 'is not text');
  return columnText(value, max_length);
}

function readInstant(value: unknown, at: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  const instant = instantOf(value);
  if (instant === undefined) throw malformed([at], 'is neither an ISO 8601 instant nor a number since 1970');
  return instant;
}

function readDottedOrder(value: unknown, at: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string' || !DOTTED_ORDER.test(value)) throw malformed([at], 'is not a dotted order');
  return value;
}

function readTags(value: unknown, at: string): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw malformed([at], 'is not a list');
  return value.filter((tag) => typeof tag === 'string').map((tag) => columnText(tag));
}

/** Absent is told by absence, so that merging two halves is a matter of which names are there. */
function withoutUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
