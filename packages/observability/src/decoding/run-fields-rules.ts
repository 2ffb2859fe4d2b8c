import { runTypes } from '@roadstead/contracts/run-types';
import { isUuid } from '@roadstead/kit';
import { instantOf } from '../values/instant-rules.ts';
import { bubbleUpOf } from './bubble-up-rules.ts';
import { columnText } from '../values/column-text-rules.ts';
import type { Faults } from './faults.ts';
import { previewOf } from './preview-rules.ts';
import {
  MAX_RUNS_PER_TRACE,
  type ModelNames,
  modelPaths,
  type PayloadKind,
  payloadKinds,
  type Payloads,
  type RunOperation,
  type SessionRef,
  type Verb,
} from '../records/run-operation.ts';
import { usageOf } from './usage-rules.ts';

/** Makes an operation from a run that a dialect sent: the hot fields are checked, the payloads summarised. */

/** A payload as it was sent, and its parsed value. */
export interface SentPayload {
  readonly json: Uint8Array;
  readonly value: unknown;
}

export interface SentRun {
  /** The name of the run in errors, as the client knows it: a part's name, or `post.0` of a batch. */
  readonly at: string;
  readonly verb: Verb;
  readonly run_id: string;
  /** Absent where only payloads were sent. */
  readonly main: Readonly<Record<string, unknown>> | undefined;
  readonly payloads: Payloads<SentPayload>;
}

/** The limit of an index; longer thread ids are cut, and readers cut what they look for. */
export const THREAD_ID_LENGTH = 512;
export const SESSION_NAME_LENGTH = 500;
export const NAME_LENGTH = 2000;
const DOTTED_ORDER = /^[\w:.-]+$/;
/** The length of the deepest dotted order: each level has a stamp, a UUID and a dot. */
const DOTTED_ORDER_LENGTH = MAX_RUNS_PER_TRACE * 60;
const ADDRESS = /^lrn:agents\/([a-z0-9-]{1,63})\/environments\/([a-z0-9-]{1,63})$/i;
export const MAX_TAGS = 500;
export const TAG_LENGTH = 500;

/** The members of a run that a hot row keeps; further ones are never looked at. */
export const mainFieldNames = [
  'trace_id',
  'dotted_order',
  'parent_run_id',
  'name',
  'run_type',
  'start_time',
  'end_time',
  'first_token_time',
  'session_id',
  'session_name',
  'address',
  'reference_example_id',
  'tags',
] as const;

/** A wrong field counts as absent, and is noted. */
export function runOperationOf(sent: SentRun, faults: Faults): RunOperation {
  const payloads = Object.fromEntries(
    payloadKinds.flatMap((kind) => {
      const payload = sent.payloads[kind];
      return payload === undefined || payload.value === null ? [] : [[kind, payload.json]];
    }),
  );
  const fields = { ...mainFields(sent, faults), ...summaryFields(sent.payloads) };
  return {
    verb: sent.verb,
    run_id: sent.run_id,
    has_main: sent.main !== undefined,
    fields: withoutUndefined(fields),
    payloads,
  };
}

function mainFields(sent: SentRun, faults: Faults) {
  const { at, main = {} } = sent;
  const of = (name: (typeof mainFieldNames)[number]): SentField => ({
    value: main[name],
    at: `${at}.${name}`,
    faults,
  });
  const text = (name: 'name' | 'session_name', max_length: number) => readText({ ...of(name), max_length });
  return {
    ...placeIn(sent, of),
    name: text('name', NAME_LENGTH),
    run_type: readRunType(of('run_type')),
    start_time: readInstant(of('start_time')),
    end_time: readInstant(of('end_time')),
    first_token_time: readInstant(of('first_token_time')),
    session: sessionOf(
      readUuid(of('session_id')),
      filled(text('session_name', SESSION_NAME_LENGTH)) ?? readAddress(of('address')),
    ),
    reference_example_id: readUuid(of('reference_example_id')),
    tags: readTags(of('tags')),
  };
}

/** A run without a parent is the root of its own trace: if it named another trace, nobody would find it there. */
function placeIn({ verb, run_id, main }: SentRun, of: (name: PlaceName) => SentField) {
  const trace_id = readUuid(of('trace_id'));
  const dotted_order = readDottedOrder(of('dotted_order'));
  const parent_run_id = readUuid(of('parent_run_id'));
  const isPlaced = dotted_order !== undefined || (verb === 'post' && main !== undefined);
  const isRoot = isPlaced && parent_run_id === undefined && dotted_order?.includes('.') !== true;
  if (!isRoot || trace_id === undefined || trace_id === run_id)
    return { trace_id, dotted_order, parent_run_id };
  const { at, faults } = of('trace_id');
  faults.add(at, 'is another run, though the run has no parent: it is the root of a trace of its own');
  return { trace_id: run_id, dotted_order, parent_run_id };
}

type PlaceName = 'trace_id' | 'dotted_order' | 'parent_run_id';

function summaryFields(payloads: Payloads<SentPayload>) {
  const preview = (kind: PayloadKind) => {
    const payload = payloads[kind];
    return payload === undefined || payload.value === null
      ? undefined
      : previewOf(payload.value, payload.json);
  };
  const bubble_up = bubbleUpOf(payloads.error?.value);
  const error =
    bubble_up === undefined ? preview('error') : previewOf(bubble_up, payloads.error?.json ?? NOTHING);
  const first_token_time = firstTokenOf(payloads.events?.value);
  return {
    inputs_preview: preview('inputs'),
    outputs_preview: preview('outputs'),
    error_preview: error === '' ? undefined : error,
    thread_id: threadOf(payloads.extra?.value),
    model: modelOf(payloads.extra?.value),
    usage: usageOf({ outputs: payloads.outputs?.value, extra: payloads.extra?.value }),
    ...(first_token_time === undefined ? {} : { first_token_time }),
  };
}

const NOTHING = new Uint8Array();

/** The conversation that a run names. */
function threadOf(extra: unknown): string | undefined {
  const metadata = field(extra, 'metadata');
  // The order in which LangSmith names them.
  for (const name of ['session_id', 'thread_id', 'conversation_id']) {
    const value = field(metadata, name);
    if (typeof value === 'number' || (typeof value === 'string' && value !== ''))
      return columnText(String(value), THREAD_ID_LENGTH);
  }
  return undefined;
}

const MODEL_NAME_LENGTH = 200;

/** Undefined where the run names no model. */
function modelOf(extra: unknown): ModelNames | undefined {
  const metadata = field(extra, 'metadata');
  const params = field(extra, 'invocation_params') ?? field(metadata, 'ls_invocation_params');
  const name = (value: unknown) =>
    typeof value === 'string' && value !== '' ? columnText(value, MODEL_NAME_LENGTH) : undefined;
  const named = {
    provider: name(field(metadata, 'ls_provider')),
    ls_model_name: name(field(metadata, 'ls_model_name')),
    ...Object.fromEntries(modelPaths.map((path) => [path, name(field(params, path))])),
  };
  const said = Object.entries(named).filter(([, value]) => value !== undefined);
  return said.length === 0 ? undefined : Object.fromEntries(said);
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
  return id === undefined && name === undefined ? undefined : { id, name };
}

const filled = (text: string | undefined) => (text === '' ? undefined : text);

/** A value and the list in which its faults are noted. */
export interface SentField {
  readonly value: unknown;
  readonly at: string;
  readonly faults: Faults;
}

function leftOut({ at, faults }: SentField, fault: string): undefined {
  faults.add(at, `${fault}, and is left out`);
  return undefined;
}

const isAbsent = (value: unknown) => value === undefined || value === null;

export function readUuid(field: SentField): string | undefined {
  const { value } = field;
  if (isAbsent(value)) return undefined;
  return typeof value === 'string' && isUuid(value) ? value.toLowerCase() : leftOut(field, 'is not a UUID');
}

export function readText({
  max_length,
  ...field
}: SentField & { readonly max_length: number }): string | undefined {
  if (isAbsent(field.value)) return undefined;
  return typeof field.value === 'string'
    ? columnText(field.value, max_length)
    : leftOut(field, 'is not text');
}

function readRunType(field: SentField): string | undefined {
  if (isAbsent(field.value)) return undefined;
  const known = runTypes.find((type) => type === field.value);
  return known ?? leftOut(field, `is none of ${runTypes.join(', ')}`);
}

export function readInstant(field: SentField): string | undefined {
  if (isAbsent(field.value)) return undefined;
  return instantOf(field.value) ?? leftOut(field, 'is neither an ISO 8601 instant nor a number since 1970');
}

function readDottedOrder(field: SentField): string | undefined {
  const { value } = field;
  if (isAbsent(value) || value === '') return undefined;
  return isDottedOrder(value) ? value : leftOut(field, 'is not a dotted order');
}

export const isDottedOrder = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= DOTTED_ORDER_LENGTH && DOTTED_ORDER.test(value);

/** The project of an agent's environment, for clients that name these in place of a project. */
function readAddress(field: SentField): string | undefined {
  const { value } = field;
  if (isAbsent(value)) return undefined;
  const [, agent, environment] = (typeof value === 'string' ? ADDRESS.exec(value) : null) ?? [];
  if (agent === undefined || environment === undefined)
    return leftOut(field, 'is not `lrn:agents/{id}/environments/{environment}`');
  return `${agent}/${environment.toLowerCase()}`;
}

function readTags(field: SentField): readonly string[] | undefined {
  const { value } = field;
  if (isAbsent(value)) return undefined;
  if (!Array.isArray(value)) return leftOut(field, 'is not a list');
  const texts = value.slice(0, MAX_TAGS).filter((tag) => typeof tag === 'string');
  if (texts.length < value.length)
    field.faults.add(field.at, `keeps its texts only, and the first ${MAX_TAGS} of them`);
  return texts.map((tag) => columnText(tag, TAG_LENGTH));
}

/** Leaves out absent fields, so that merging two halves only looks at the names that are present. */
function withoutUndefined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
