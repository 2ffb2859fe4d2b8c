import { type PayloadKind, payloadKinds } from '../records/run-operation.ts';
import { secondsKept, type Tier } from '../partitions/week-rules.ts';
import { ownMetadataOf, withOwnMetadata } from '../merging/extra-rules.ts';
import { naive } from '../values/instant-rules.ts';
import type { Member, Members } from './json-answer.ts';
import { ancestorsOf } from '../records/placement-rules.ts';
import type { RelatedFact, RunAttachment, RunRecord, RecordSelection } from './run-record.ts';
import { ownUsage, type RunRow, type TraceTotals } from '../records/run-row.ts';

/**
 * A run as v1 of the API answers it: every field is present, null where it is unknown; times have no offset and costs
 * are numbers.
 */

/** The values of payloads that never arrived. */
const absent: Readonly<Record<PayloadKind, unknown>> = {
  inputs: {},
  outputs: null,
  events: [],
  extra: {},
  serialized: null,
  error: null,
};

const payload =
  (kind: PayloadKind): Read =>
  ({ payloads }) => {
    const stored = payloads[kind];
    return stored === undefined ? { value: absent[kind] } : { payload: stored };
  };

const extra: Read = ({ row, payloads }) => {
  const own = ownMetadataOf(row);
  return payloads.extra === undefined
    ? { value: { metadata: own } }
    : { payload: payloads.extra, edit: (json) => withOwnMetadata(json, own) };
};

export const costNumber = (cost: string | null | undefined) =>
  cost === null || cost === undefined ? null : Number(cost);

/** A root shows the totals of its whole trace. */
const totalsOf = ({ row, trace }: RunRecord): TraceTotals | undefined => (row.is_root ? trace : undefined);
export const usageOf = (record: RunRecord) => totalsOf(record) ?? ownUsage(record.row);
export const firstTokenOf = (record: RunRecord) =>
  totalsOf(record)?.first_token_time ?? record.row.first_token_time;

/** The parent; a root has none, even where it names one that never arrived. */
export const parentOf = ({ row }: { readonly row: Pick<RunRow, 'is_root' | 'parent_run_id'> }) =>
  row.is_root ? null : row.parent_run_id;

/** The path of its page on the web. */
export const pathOf = ({ row }: Pick<RunRecord, 'row'>) =>
  `/o/${row.workspace_id}/projects/p/${row.session_id}/r/${row.run_id}?trace_id=${row.trace_id}&start_time=${naive(row.start_time)}`;

export const statusOf = (row: Pick<RunRow, 'has_error' | 'end_time'>): 'success' | 'error' | 'pending' =>
  row.has_error ? 'error' : row.end_time === null ? 'pending' : 'success';

type Read = (record: RunRecord) => Member;
const value =
  (read: (record: RunRecord) => unknown): Read =>
  (record) => ({ value: read(record) });

/** The value of fields that aren't kept. */
const unknown = value(() => null);

const fields = {
  id: value(({ row }) => row.run_id),
  name: value(({ row }) => row.name ?? ''),
  run_type: value(({ row }) => row.run_type ?? 'chain'),
  start_time: value(({ row }) => naive(row.start_time)),
  end_time: value(({ row }) => naive(row.end_time)),
  status: value(({ row }) => statusOf(row)),
  error: payload('error'),
  execution_order: value(({ related }) => related.tree?.execution_order ?? 1),
  extra,
  serialized: payload('serialized'),
  events: payload('events'),
  inputs: payload('inputs'),
  outputs: payload('outputs'),
  inputs_preview: value(({ row }) => row.inputs_preview),
  outputs_preview: value(({ row }) => row.outputs_preview),
  tags: value(({ row }) => row.tags ?? []),
  session_id: value(({ row }) => row.session_id),
  trace_id: value(({ row }) => row.trace_id),
  dotted_order: value(({ row }) => row.dotted_order),
  parent_run_id: value(parentOf),
  parent_run_ids: value(({ row }) => ancestorsOf(row.dotted_order)),
  thread_id: value(({ row }) => row.thread_id),
  reference_example_id: value(({ row }) => row.reference_example_id),
  app_path: value(pathOf),
  first_token_time: value((record) => naive(firstTokenOf(record))),
  prompt_tokens: value((record) => usageOf(record).prompt_tokens),
  completion_tokens: value((record) => usageOf(record).completion_tokens),
  total_tokens: value((record) => usageOf(record).total_tokens),
  prompt_cost: value((record) => costNumber(usageOf(record).prompt_cost)),
  completion_cost: value((record) => costNumber(usageOf(record).completion_cost)),
  total_cost: value((record) => costNumber(usageOf(record).total_cost)),
  feedback_stats: value(({ related }) => related.feedback_stats),
  in_dataset: value(({ related }) => related.is_in_dataset ?? false),
  trace_tier: value(({ row }) => row.tier),
  trace_first_received_at: value(({ trace }) => naive(trace?.received_at)),
  last_queued_at: value(({ row }) => naive(row.received_at)),
  trace_upgrade: value(() => false),
  child_run_ids: value(({ related }) => related.tree?.child_run_ids),
  completion_cost_details: value((record) => usageOf(record).completion_cost_details ?? null),
  completion_token_details: value((record) => usageOf(record).completion_token_details ?? null),
  direct_child_run_ids: value(({ related }) => related.tree?.direct_child_run_ids),
  inputs_s3_urls: unknown,
  manifest_id: unknown,
  manifest_s3_id: unknown,
  messages: value(({ messages }) => messages),
  outputs_s3_urls: unknown,
  price_model_id: value(({ row }) => row.price_model_id),
  prompt_cost_details: value((record) => usageOf(record).prompt_cost_details ?? null),
  prompt_token_details: value((record) => usageOf(record).prompt_token_details ?? null),
  reference_dataset_id: value(({ related }) => related.reference_dataset_id),
  s3_urls: value(({ related }) => urlsOf(related.attachments)),
  share_token: value(({ related }) => related.share_token),
  trace_max_start_time: value(({ related }) => naive(related.tree?.trace_max_start_time)),
  trace_min_start_time: value(({ related }) => naive(related.tree?.trace_min_start_time)),
  ttl_seconds: value(({ row }) => secondsKept(row.tier as Tier)),
} satisfies Record<string, Read>;

type Field = keyof typeof fields;

function urlsOf(attachments: readonly RunAttachment[] | undefined) {
  if (attachments === undefined) return null;
  const urls = attachments.map(({ name, content_type, url }) => [
    `attachment.${name}`,
    { presigned_url: url, mime_type: content_type },
  ]);
  return Object.fromEntries(urls) as unknown;
}

/** The facts from other tables behind the fields. */
const facts: Partial<Record<Field, RelatedFact>> = {
  trace_first_received_at: 'trace',
  execution_order: 'tree',
  child_run_ids: 'tree',
  direct_child_run_ids: 'tree',
  trace_min_start_time: 'tree',
  trace_max_start_time: 'tree',
  reference_dataset_id: 'experiment',
  in_dataset: 'dataset',
  share_token: 'share',
  s3_urls: 'attachments',
  feedback_stats: 'feedback',
};
/** Facts that are null in a list unless the field is asked for by name. */
const costly: ReadonlySet<RelatedFact | undefined> = new Set<RelatedFact>(['tree', 'attachments']);

/** The fields of an answer, and the data that they need. */
export interface Selection extends RecordSelection {
  readonly fields: readonly Field[];
}

const every = Object.keys(fields) as Field[];

/** Companions of a requested field: clients read them without naming them. */
const companions: Readonly<Record<string, readonly Field[]>> = {
  inputs: ['s3_urls'],
  outputs: ['s3_urls'],
  prompt_tokens: ['prompt_token_details'],
  completion_tokens: ['completion_token_details'],
  prompt_cost: ['prompt_cost_details'],
  completion_cost: ['completion_cost_details'],
};

/** The fields of every answer. Clients parse an answer as a run, which lacks none of these, whatever they select. */
const always: readonly Field[] = [
  'id',
  'name',
  'run_type',
  'start_time',
  'status',
  'trace_id',
  'dotted_order',
  'session_id',
  'app_path',
];

/** The existing fields that are asked for, plus those of every answer; all fields where none is asked for. */
export function selectionOf(select: readonly string[] | null | undefined): Selection {
  if (select === null || select === undefined) return wantedBy(every, (fact) => !costly.has(fact));
  const wanted = new Set<string>([...always, ...select, ...select.flatMap((name) => companions[name] ?? [])]);
  const selection = wantedBy(every.filter((name) => wanted.has(name)));
  return wanted.has('messages') ? withMessages(selection) : selection;
}

/** The selection for a run that is read by itself. */
export function everything({
  left_out,
  messages = false,
}: {
  readonly left_out: ReadonlySet<PayloadKind>;
  readonly messages?: boolean | undefined;
}): Selection {
  const { payloads, ...selection } = wantedBy(every);
  const whole = { ...selection, payloads: payloads.filter((kind) => !left_out.has(kind)) };
  return messages ? withMessages(whole) : whole;
}

function withMessages(selection: Selection): Selection {
  return {
    ...selection,
    messages: true,
    payloads: [...new Set<PayloadKind>([...selection.payloads, 'inputs', 'outputs'])],
  };
}

function wantedBy(
  selected: readonly Field[],
  isTaken: (fact: RelatedFact) => boolean = () => true,
): Selection {
  const asked = selected.flatMap((name) => facts[name] ?? []);
  return {
    fields: selected,
    facts: new Set(asked.filter(isTaken)),
    payloads: payloadKinds.filter((kind) => selected.includes(kind)),
  };
}

export function runMembers(record: RunRecord, { fields: selected }: Pick<Selection, 'fields'>): Members {
  return selected.map((name) => [name, fields[name](record)] as const);
}
