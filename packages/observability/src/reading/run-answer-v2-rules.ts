import { RunV2, type RunV2Field } from '@roadstead/contracts/observability';
import { type Details, type PayloadKind, payloadKinds } from '../records/run-operation.ts';
import { metadataOf, type OwnMetadata, ownMetadataOf, withOwnMetadata } from '../merging/extra-rules.ts';
import { secondsBetween } from '../values/instant-rules.ts';
import type { Member, Members } from './json-answer.ts';
import { ancestorsOf } from '../records/placement-rules.ts';
import { costNumber, firstTokenOf, parentOf, pathOf, statusOf, usageOf } from './run-answer-rules.ts';
import type { RunOutline } from '../records/run-row.ts';
import type { RelatedFact, RunRecord, RecordSelection } from './run-record.ts';

/** A run as v2 of the API answers it: the selected fields; times with their offset, enumerations in capitals. */

/** The options for links in an answer. */
export interface LinkOptions {
  /** The public address of the origin. */
  readonly public_url: string;
}

type Read = (record: RunRecord, links: LinkOptions) => Member;
const value =
  (read: (record: RunRecord, links: LinkOptions) => unknown): Read =>
  (record, links) => ({ value: read(record, links) });
const unknown = value(() => null);

const payload =
  (kind: PayloadKind): Read =>
  ({ payloads }) => {
    const stored = payloads[kind];
    return stored === undefined ? { value: null } : { payload: stored };
  };

const editedExtra =
  (edit: (json: Uint8Array, own: OwnMetadata) => Uint8Array | Promise<Uint8Array>): Read =>
  ({ row, payloads }) => {
    const own = ownMetadataOf(row);
    if (payloads.extra !== undefined) return { payload: payloads.extra, edit: (json) => edit(json, own) };
    const bytes = Buffer.from(JSON.stringify({ metadata: own }));
    return { payload: { packed: bytes, pieces: () => once(bytes) }, edit: (json) => edit(json, own) };
  };

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Wraps categories in an object of their own. */
export const wrapped = (details: Details | null | undefined) => (details == null ? null : { raw: details });

const shareUrl = (public_url: string, token: string): string => `${public_url}/public/${token}/r`;

/** The fields that an outline answers. */
const outlineFields = {
  id: (row) => row.run_id,
  end_time: (row) => row.end_time,
  error_preview: (row) => row.error_preview,
  is_root: (row) => row.is_root,
  latency_seconds: (row) => (row.end_time === null ? null : secondsBetween(row.start_time, row.end_time)),
  name: (row) => row.name ?? '',
  parent_run_id: (row) => parentOf({ row }),
  run_type: (row) => (row.run_type ?? 'chain').toUpperCase(),
  start_time: (row) => row.start_time,
  status: (row) => statusOf(row).toUpperCase(),
} satisfies Partial<Record<RunV2Field, (row: RunOutline) => unknown>>;

type OutlineField = keyof typeof outlineFields;
const ofOutline = (name: OutlineField): Read => value(({ row }) => outlineFields[name](row));

const fields: Readonly<Record<RunV2Field, Read>> = {
  id: ofOutline('id'),
  app_path: value(pathOf),
  attachments: value(({ related }) =>
    Object.fromEntries((related.attachments ?? []).map(({ name, url }) => [name, url])),
  ),
  completion_cost: value((record) => costNumber(usageOf(record).completion_cost)),
  completion_cost_details: value((record) => wrapped(usageOf(record).completion_cost_details)),
  completion_token_details: value((record) => wrapped(usageOf(record).completion_token_details)),
  completion_tokens: value((record) => usageOf(record).completion_tokens),
  dotted_order: value(({ row }) => row.dotted_order),
  end_time: ofOutline('end_time'),
  error: payload('error'),
  error_preview: ofOutline('error_preview'),
  events: payload('events'),
  extra: editedExtra(withOwnMetadata),
  feedback_stats: value(({ related }) => related.feedback_stats),
  first_token_time: value(firstTokenOf),
  inputs: payload('inputs'),
  inputs_preview: value(({ row }) => row.inputs_preview),
  is_in_dataset: value(({ related }) => related.is_in_dataset ?? false),
  is_root: ofOutline('is_root'),
  last_queued_at: unknown,
  latency_seconds: ofOutline('latency_seconds'),
  ls_user_id: unknown,
  manifest: payload('serialized'),
  metadata: editedExtra(metadataOf),
  name: ofOutline('name'),
  outputs: payload('outputs'),
  outputs_preview: value(({ row }) => row.outputs_preview),
  parent_run_id: ofOutline('parent_run_id'),
  parent_run_ids: value(({ row }) => ancestorsOf(row.dotted_order)),
  price_model_id: value(({ row }) => row.price_model_id),
  project_id: value(({ row }) => row.session_id),
  prompt_cost: value((record) => costNumber(usageOf(record).prompt_cost)),
  prompt_cost_details: value((record) => wrapped(usageOf(record).prompt_cost_details)),
  prompt_token_details: value((record) => wrapped(usageOf(record).prompt_token_details)),
  prompt_tokens: value((record) => usageOf(record).prompt_tokens),
  reference_dataset_id: value(({ related }) => related.reference_dataset_id),
  reference_example_id: value(({ row }) => row.reference_example_id),
  run_type: ofOutline('run_type'),
  share_url: value(({ related }, { public_url }) =>
    related.share_token === undefined ? null : shareUrl(public_url, related.share_token),
  ),
  start_time: ofOutline('start_time'),
  status: ofOutline('status'),
  tags: value(({ row }) => row.tags ?? []),
  thread_evaluation_time: unknown,
  thread_id: value(({ row }) => row.thread_id),
  total_cost: value((record) => costNumber(usageOf(record).total_cost)),
  total_tokens: value((record) => usageOf(record).total_tokens),
  trace_id: value(({ row }) => row.trace_id),
};

/** The facts from other tables behind the fields. */
const facts: Partial<Record<RunV2Field, RelatedFact>> = {
  attachments: 'attachments',
  feedback_stats: 'feedback',
  is_in_dataset: 'dataset',
  reference_dataset_id: 'experiment',
  share_url: 'share',
};

const payloadsOf: Partial<Record<RunV2Field, PayloadKind>> = {
  error: 'error',
  events: 'events',
  extra: 'extra',
  inputs: 'inputs',
  manifest: 'serialized',
  metadata: 'extra',
  outputs: 'outputs',
};

export interface SelectionV2 extends RecordSelection {
  readonly fields: readonly RunV2Field[];
}

/** The fields by their names in capitals; the id alone where the query selects no field. */
export function selectionV2Of(selects: readonly string[] | null | undefined): SelectionV2 {
  const wanted = new Set(selects ?? ['ID']);
  const selected = (Object.keys(RunV2.shape) as RunV2Field[]).filter((name) =>
    wanted.has(name.toUpperCase()),
  );
  const payloads = new Set(selected.flatMap((name) => payloadsOf[name] ?? []));
  return {
    fields: selected,
    facts: new Set(selected.flatMap((name) => facts[name] ?? [])),
    payloads: payloadKinds.filter((kind) => payloads.has(kind)),
  };
}

export function runV2Members(
  record: RunRecord,
  { fields: selected }: Pick<SelectionV2, 'fields'>,
  links: LinkOptions,
): Members {
  return selected.map((name) => [name, fields[name](record, links)] as const);
}

/** Whether outlines of runs answer all that is selected. */
export const asksOutlines = ({ fields: selected }: Pick<SelectionV2, 'fields'>): boolean =>
  selected.every(isOutlineField);

const isOutlineField = (name: RunV2Field): name is OutlineField => Object.hasOwn(outlineFields, name);

export const outlineMembers = (row: RunOutline, { fields: selected }: Pick<SelectionV2, 'fields'>): Members =>
  selected.filter(isOutlineField).map((name) => [name, { value: outlineFields[name](row) }] as const);

const aggregates = ['total_tokens', 'total_cost', 'first_token_time'] as const;

/** A root run, and those of its fields that describe the whole trace. */
export function traceMembers(record: RunRecord, selection: SelectionV2, links: LinkOptions): Members {
  const summed = aggregates.filter((name) => selection.fields.includes(name));
  const root = selection.fields.filter((name) => !(summed as readonly string[]).includes(name));
  const root_run = { members: runV2Members(record, { fields: root }, links) };
  if (summed.length === 0) return [['root_run', root_run]];
  const trace_aggregates = { members: runV2Members(record, { fields: summed }, links) };
  return [
    ['root_run', root_run],
    ['trace_aggregates', trace_aggregates],
  ];
}
