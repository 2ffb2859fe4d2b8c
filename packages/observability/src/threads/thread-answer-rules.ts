import type { Message } from '@roadstead/contracts/messages';
import type { threadPreviews } from '@roadstead/contracts/observability';
import { runTypes } from '@roadstead/contracts/run-types';
import { malformed } from '@roadstead/kit';
import { secondsBetween } from '../values/instant-rules.ts';
import type { Member, Members } from '../reading/json-answer.ts';
import { costNumber, firstTokenOf } from '../reading/run-answer-rules.ts';
import { wrapped } from '../reading/run-answer-v2-rules.ts';
import type { RunRecord } from '../reading/run-record.ts';

/** A turn of a thread as v2 answers it: its root run, with the totals of its trace. Costs are numbers there. */

/** A root run, and its place in the thread where that is asked for. */
export type TurnRecord = RunRecord & { readonly turn_number?: number | undefined };

type Read = (record: TurnRecord) => Member;
const value =
  (read: (record: TurnRecord) => unknown): Read =>
  (record) => ({ value: read(record) });
const payload =
  (kind: 'inputs' | 'outputs' | 'error'): Read =>
  ({ payloads }) => {
    const stored = payloads[kind];
    return stored === undefined ? { value: null } : { payload: stored };
  };

const fields = {
  trace_id: value(({ row }) => row.trace_id),
  thread_id: value(({ row }) => row.thread_id),
  name: value(({ row }) => row.name ?? ''),
  start_time: value(({ row }) => row.start_time),
  end_time: value(({ row }) => row.end_time),
  latency: value(({ row }) => (row.end_time === null ? null : secondsBetween(row.start_time, row.end_time))),
  inputs: payload('inputs'),
  outputs: payload('outputs'),
  error: payload('error'),
  inputs_preview: value(({ row }) => row.inputs_preview),
  outputs_preview: value(({ row }) => row.outputs_preview),
  error_preview: value(({ row }) => row.error_preview),
  first_token_time: value(firstTokenOf),
  prompt_tokens: value(({ trace }) => trace?.prompt_tokens ?? 0),
  completion_tokens: value(({ trace }) => trace?.completion_tokens ?? 0),
  total_tokens: value(({ trace }) => trace?.total_tokens ?? 0),
  prompt_cost: value(({ trace }) => costNumber(trace?.prompt_cost)),
  completion_cost: value(({ trace }) => costNumber(trace?.completion_cost)),
  total_cost: value(({ trace }) => costNumber(trace?.total_cost)),
  prompt_token_details: value(({ trace }) => wrapped(trace?.prompt_token_details)),
  completion_token_details: value(({ trace }) => wrapped(trace?.completion_token_details)),
  prompt_cost_details: value(({ trace }) => wrapped(trace?.prompt_cost_details)),
  completion_cost_details: value(({ trace }) => wrapped(trace?.completion_cost_details)),
  op: value(({ row }) => Math.max(0, (runTypes as readonly string[]).indexOf(row.run_type ?? 'chain'))),
  turn_number: value(({ turn_number }) => turn_number),
} satisfies Record<string, Read>;

type Field = keyof typeof fields;

/** @throws Problem `malformed` where no such field exists. */
export function selectedTurnFields(selects: readonly string[] | undefined): readonly Field[] {
  const wanted = new Set(['trace_id', ...(selects ?? []).map((name) => name.toLowerCase())]);
  const all = Object.keys(fields) as Field[];
  if ([...wanted].some((name) => !(all as string[]).includes(name)))
    throw malformed(['query', 'selects'], `takes ${all.map((name) => name.toUpperCase()).join(', ')}`);
  return all.filter((name) => wanted.has(name));
}

export function turnMembers(record: TurnRecord, selected: readonly Field[]): Members {
  return selected.map((name) => [name, fields[name](record)] as const);
}

type PreviewForm = (typeof threadPreviews)[number];

const isSpoken = ({ role }: Message) => role === 'user' || role === 'assistant';

const chosen: Readonly<Record<PreviewForm, (messages: readonly Message[]) => readonly Message[]>> = {
  all_messages: (messages) => messages,
  human_ai_pairs: (messages) => messages.filter(isSpoken),
  first_human_last_ai: (messages) =>
    [
      messages.find(({ role }) => role === 'user'),
      messages.findLast(({ role }) => role === 'assistant'),
    ].filter((message) => message !== undefined),
};

/** A conversation as text: JSON objects with empty lines between them. */
export function previewText(messages: readonly Message[], form: PreviewForm): string {
  return chosen[form](messages)
    .map((message) => JSON.stringify(message))
    .join('\n\n');
}
