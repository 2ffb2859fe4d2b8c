import type { PayloadKind, Payloads } from '../ingest/run-operation.ts';
import { ancestorsOf } from './placement-rules.ts';
import { countedUsage, type RunRow, type TraceTotals } from './run-row.ts';

/** A run as the API tells it. */

/** What there is of a run; payloads are JSON texts. */
export interface RunRecord<Bytes> {
  readonly row: RunRow & { readonly received_at: string };
  readonly payloads: Payloads<Bytes>;
  /** Of the whole trace; for roots. */
  readonly totals: TraceTotals | undefined;
}

export type Member<Bytes> = { readonly json: Bytes } | { readonly value: unknown };

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
  (kind: PayloadKind) =>
  <B>(record: RunRecord<B>): Member<B> => {
    const json = record.payloads[kind];
    return json === undefined ? { value: absent[kind] } : { json };
  };

/** Decimal places that say nothing are cut off. */
export const costText = (cost: string | null | undefined) => cost?.replace(/\.?0+$/, '') ?? null;

/** A root stands for its trace, so it tells what all of the trace used. */
const usageOf = ({ row, totals }: RunRecord<unknown>) =>
  row.is_root && totals !== undefined ? totals : countedUsage(row);

const statusOf = (row: Pick<RunRow, 'has_error' | 'end_time'>): 'success' | 'error' | 'pending' =>
  row.has_error ? 'error' : row.end_time === null ? 'pending' : 'success';

type Read = <B>(record: RunRecord<B>) => Member<B>;
const value =
  (read: (record: RunRecord<unknown>) => unknown): Read =>
  (record) => ({ value: read(record) });

const fields = {
  id: value(({ row }) => row.run_id),
  name: value(({ row }) => row.name ?? ''),
  run_type: value(({ row }) => row.run_type ?? 'chain'),
  start_time: value(({ row }) => row.start_time),
  end_time: value(({ row }) => row.end_time),
  status: value(({ row }) => statusOf(row)),
  error: payload('error'),
  execution_order: value(() => 1),
  extra: payload('extra'),
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
    ({ row }) => `/o/${row.workspace_id}/projects/p/${row.session_id}/r/${row.run_id}?poll=true`,
  ),
  first_token_time: value(({ row }) => row.first_token_time),
  prompt_tokens: value((record) => usageOf(record).prompt_tokens),
  completion_tokens: value((record) => usageOf(record).completion_tokens),
  total_tokens: value((record) => usageOf(record).total_tokens),
  prompt_cost: value((record) => costText(usageOf(record).prompt_cost)),
  completion_cost: value((record) => costText(usageOf(record).completion_cost)),
  total_cost: value((record) => costText(usageOf(record).total_cost)),
  feedback_stats: value(() => null),
  in_dataset: value(() => false),
  trace_tier: value(({ row }) => row.tier),
  trace_first_received_at: value(({ row }) => row.received_at),
  last_queued_at: value(({ row }) => row.received_at),
} satisfies Record<string, Read>;

type Field = keyof typeof fields;

/** Told only when asked for. */
const onlySelected: readonly string[] = ['inputs_preview', 'outputs_preview'];

/** The fields to tell: those asked for that there are, and always the id. */
export function selectedFields(select: readonly string[] | null | undefined): readonly Field[] {
  const all = Object.keys(fields) as Field[];
  if (select === null || select === undefined) return all.filter((name) => !onlySelected.includes(name));
  const wanted = new Set(['id', ...select]);
  return all.filter((name) => wanted.has(name));
}

export function runMembers<B>(
  record: RunRecord<B>,
  selected: readonly Field[],
): (readonly [string, Member<B>])[] {
  return selected.map((name) => [name, fields[name](record)] as const);
}
