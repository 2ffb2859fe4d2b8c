import type { AlertState, SeriesSums } from '@roadstead/contracts/observability';
import type { SeriesPart } from '../series/series-rules.ts';
import type { AlertCondition, AlertDefinition, AlertRow, AlertStanding } from './alert-row.ts';

/** What the evaluation of an alert comes to. */

interface Metric {
  /** The part of a series that holds it. */
  readonly part: SeriesPart;
  readonly valueOf: (sums: SeriesSums, feedback_key: string) => number | null | undefined;
}

const metrics: Readonly<Record<AlertDefinition['metric'], Metric>> = {
  runs: { part: 'counts', valueOf: (sums) => sums.runs },
  errors: { part: 'counts', valueOf: (sums) => sums.errors },
  error_rate: { part: 'counts', valueOf: (sums) => sums.error_rate },
  latency_p50: { part: 'latency', valueOf: (sums) => sums.latency_p50 },
  latency_p95: { part: 'latency', valueOf: (sums) => sums.latency_p95 },
  latency_p99: { part: 'latency', valueOf: (sums) => sums.latency_p99 },
  first_token_p50: { part: 'first_token', valueOf: (sums) => sums.first_token_p50 },
  first_token_p95: { part: 'first_token', valueOf: (sums) => sums.first_token_p95 },
  prompt_tokens: { part: 'tokens', valueOf: (sums) => sums.prompt_tokens },
  completion_tokens: { part: 'tokens', valueOf: (sums) => sums.completion_tokens },
  total_tokens: { part: 'tokens', valueOf: (sums) => sums.total_tokens },
  // What nothing cost is a sum, too.
  total_cost: { part: 'cost', valueOf: (sums) => sums.total_cost ?? 0 },
  feedback_count: { part: 'feedback', valueOf: (sums, key) => sums.feedback?.[key]?.count ?? 0 },
  feedback_average: { part: 'feedback', valueOf: (sums, key) => sums.feedback?.[key]?.average },
};

export const partsOf = ({ metric }: AlertDefinition): SeriesPart[] => [metrics[metric].part];

/** The value of an alert's metric; null where nothing can be measured. */
export function valueOf(
  sums: SeriesSums | undefined,
  { metric, feedback_key }: AlertDefinition,
): number | null {
  return sums === undefined ? null : (metrics[metric].valueOf(sums, feedback_key ?? '') ?? null);
}

const SHORTEST_S = 60;
const LONGEST_S = 3600;

/** The time between two evaluations: a sixtieth of the window, between a minute and an hour. */
export function intervalOf({ window_s }: Pick<AlertDefinition, 'window_s'>): number {
  return Math.min(Math.max(Math.ceil(window_s / 60), SHORTEST_S), LONGEST_S);
}

type Level = 'breach' | 'clear' | 'between' | 'none';

function levelOf(value: number | null, { comparison, threshold, resolve_threshold }: AlertDefinition): Level {
  if (value === null) return 'none';
  const sign = comparison === 'above' ? 1 : -1;
  if (sign * value > sign * threshold) return 'breach';
  return sign * value <= sign * (resolve_threshold ?? threshold) ? 'clear' : 'between';
}

/** The condition that lasts until another one has enough evaluations for it. */
const other = {
  ok: { condition: 'firing', level: 'breach', needs: 'breaches_to_fire' },
  firing: { condition: 'ok', level: 'clear', needs: 'clears_to_resolve' },
} as const;

function conditionAfter(
  { condition, streak, told }: AlertStanding,
  { level, definition }: { readonly level: Level; readonly definition: AlertDefinition },
): Pick<AlertStanding, 'condition' | 'streak'> {
  if (level === 'none') return { condition: 'no_data', streak: 0 };
  // Once there is something to measure, it goes on from what was told before.
  const present = condition !== 'no_data' ? condition : told === 'firing' ? 'firing' : 'ok';
  const next = other[present];
  const count = level !== next.level ? 0 : present === condition ? streak + 1 : 1;
  return count >= definition[next.needs]
    ? { condition: next.condition, streak: 0 }
    : { condition: present, streak: count };
}

export interface Evaluation {
  readonly standing: AlertStanding;
  /** The change of the shown state; undefined where it stays. */
  readonly transition:
    | { readonly from: AlertState; readonly to: AlertState; readonly notified: boolean }
    | undefined;
}

/** What an alert is after a measurement. A silenced one goes on, and tells what is new once its silence is over. */
export function planEvaluation(
  alert: Pick<AlertRow, 'definition' | 'muted_until' | keyof AlertStanding>,
  { value, now_ms }: { readonly value: number | null; readonly now_ms: number },
): Evaluation {
  const { definition, muted_until, told } = alert;
  const after = conditionAfter(alert, { level: levelOf(value, definition), definition });
  const is_muted = muted_until !== null && Date.parse(muted_until) > now_ms;
  const state: AlertState = is_muted ? 'silenced' : after.condition;
  const notified = state !== alert.state && isNews(state, { told, definition });
  return {
    standing: { ...after, state, told: notified ? (state as AlertCondition) : told },
    transition: state === alert.state ? undefined : { from: alert.state, to: state, notified },
  };
}

function isNews(
  state: AlertState,
  { told, definition }: { readonly told: AlertCondition; readonly definition: AlertDefinition },
): boolean {
  if (state === 'silenced' || state === told) return false;
  return state !== 'no_data' || definition.notify_no_data;
}

/** When an alert is to be evaluated next; the end of its silence is one such moment. */
export function nextDue(
  { definition, muted_until }: Pick<AlertRow, 'definition' | 'muted_until'>,
  now_ms: number,
): number {
  const next = now_ms + intervalOf(definition) * 1000;
  const end = muted_until === null ? Infinity : Date.parse(muted_until);
  return end > now_ms ? Math.min(next, end) : next;
}
