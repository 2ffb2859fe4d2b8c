import type { PayloadKind, Payloads } from '../ingest/run-operation.ts';
import { withDepth } from './extra-rules.ts';
import type { Member, Members } from './json-answer.ts';
import type { StoredPayload } from './payload-packing.ts';
import { ancestorsOf } from './placement-rules.ts';
import { countedUsage, type RunRow, type TraceTotals } from './run-row.ts';

/**
 * A run as v1 of the API answers it: every field is there, null where nothing is known; times have no offset and costs
 * are numbers.
 */

/** What there is of a run. */
export interface RunRecord {
  readonly row: RunRow & { readonly received_at: string };
  readonly payloads: Payloads<StoredPayload>;
  /** Of the whole trace; for roots. */
  readonly totals: TraceTotals | undefined;
}

/** What stands for a payload that never came. */
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
  const depth = ancestorsOf(row.dotted_order).length;
  return payloads.extra === undefined
    ? { value: { metadata: { ls_run_depth: depth } } }
    : { payload: payloads.extra, edit: (json) => withDepth(json, depth) };
};

export const costNumber = (cost: string | null | undefined) =>
  cost === null || cost === undefined ? null : Number(cost);

/** In UTC, as all times of v1. */
export const naive = (instant: string | null | undefined) => instant?.replace(/\+00:00$/, '') ?? null;

/** A root stands for its trace, so it shows what all of the trace used. */
const usageOf = ({ row, totals }: RunRecord) =>
  row.is_root && totals !== undefined ? totals : countedUsage(row);

const statusOf = (row: Pick<RunRow, 'has_error' | 'end_time'>): 'success' | 'error' | 'pending' =>
  row.has_error ? 'error' : row.end_time === null ? 'pending' : 'success';

type Read = (record: RunRecord) => Member;
const value =
  (read: (record: RunRecord) => unknown): Read =>
  (record) => ({ value: read(record) });

/** Of what isn't kept. */
const unknown = value(() => null);

const fields = {
  id: value(({ row }) => row.run_id),
  name: value(({ row }) => row.name ?? ''),
  run_type: value(({ row }) => row.run_type ?? 'chain'),
  start_time: value(({ row }) => naive(row.start_time)),
  end_time: value(({ row }) => naive(row.end_time)),
  status: value(({ row }) => statusOf(row)),
  error: payload('error'),
  execution_order: value(() => 1),
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
  parent_run_id: value(({ row }) => row.parent_run_id),
  parent_run_ids: value(({ row }) => ancestorsOf(row.dotted_order)),
  thread_id: value(({ row }) => row.thread_id),
  reference_example_id: value(({ row }) => row.reference_example_id),
  app_path: value(
    ({ row }) =>
      `/o/${row.workspace_id}/projects/p/${row.session_id}/r/${row.run_id}?trace_id=${row.trace_id}&start_time=${naive(row.start_time)}`,
  ),
  first_token_time: value(({ row, totals }) => naive(totals?.first_token_time ?? row.first_token_time)),
  prompt_tokens: value((record) => usageOf(record).prompt_tokens),
  completion_tokens: value((record) => usageOf(record).completion_tokens),
  total_tokens: value((record) => usageOf(record).total_tokens),
  prompt_cost: value((record) => costNumber(usageOf(record).prompt_cost)),
  completion_cost: value((record) => costNumber(usageOf(record).completion_cost)),
  total_cost: value((record) => costNumber(usageOf(record).total_cost)),
  feedback_stats: value(() => null),
  in_dataset: value(() => false),
  trace_tier: value(({ row }) => row.tier),
  trace_first_received_at: value(({ row }) => naive(row.received_at)),
  last_queued_at: value(({ row }) => naive(row.received_at)),
  trace_upgrade: value(() => false),
  child_run_ids: unknown,
  completion_cost_details: unknown,
  completion_token_details: unknown,
  direct_child_run_ids: unknown,
  inputs_s3_urls: unknown,
  manifest_id: unknown,
  manifest_s3_id: unknown,
  messages: unknown,
  outputs_s3_urls: unknown,
  price_model_id: unknown,
  prompt_cost_details: unknown,
  prompt_token_details: unknown,
  reference_dataset_id: unknown,
  s3_urls: unknown,
  share_token: unknown,
  trace_max_start_time: unknown,
  trace_min_start_time: unknown,
  ttl_seconds: unknown,
} satisfies Record<string, Read>;

type Field = keyof typeof fields;

/** The fields to answer: those asked for that exist, and always the id. */
export function selectedFields(select: readonly string[] | null | undefined): readonly Field[] {
  const all = Object.keys(fields) as Field[];
  if (select === null || select === undefined) return all;
  const wanted = new Set(['id', ...select]);
  return all.filter((name) => wanted.has(name));
}

export function runMembers(record: RunRecord, selected: readonly Field[]): Members {
  return selected.map((name) => [name, fields[name](record)] as const);
}
