import type { SeriesSums } from '@roadstead/contracts/observability';
import { percentileOf } from '../digest/histogram-rules.ts';
import { ALL_TIME, type Rollup } from '../digest/rollup-rules.ts';
import type { SeriesPart, Span } from './series-rules.ts';

/** Series of whole days, from rollups. Days are numbered from 1970, like buckets of that width. */

const DAY_MS = 86_400_000;

/** The number of `2026-01-05`; undefined for all time. */
export function dayNumber(day: string): number | undefined {
  return day === ALL_TIME ? undefined : Date.parse(`${day}T00:00:00Z`) / DAY_MS;
}

/** The days that a span covers, and the parts of days that it cuts. A day that isn't over counts as whole. */
export function wholeDays(
  span: Span,
  now_ms: number,
): { readonly whole: Span | undefined; readonly cut: readonly Span[] } {
  const { from_ms } = span;
  const to_ms = span.to_ms >= now_ms ? Math.max(span.to_ms, endOfDay(now_ms)) : span.to_ms;
  const whole = { from_ms: Math.ceil(from_ms / DAY_MS) * DAY_MS, to_ms: Math.floor(to_ms / DAY_MS) * DAY_MS };
  if (whole.from_ms > whole.to_ms) return { whole: undefined, cut: [span] };
  const cut = [
    { from_ms, to_ms: whole.from_ms },
    { from_ms: whole.to_ms, to_ms },
  ].filter((part) => part.from_ms < part.to_ms);
  return { whole: whole.from_ms === whole.to_ms ? undefined : whole, cut };
}

const endOfDay = (at_ms: number) => (Math.floor(at_ms / DAY_MS) + 1) * DAY_MS;

/** The first and the last day. */
export function datesOf({ from_ms, to_ms }: Span): { readonly from: string; readonly to: string } {
  const date = (at_ms: number) => new Date(at_ms).toISOString().slice(0, 10);
  return { from: date(from_ms), to: date(to_ms - 1) };
}

export function sumsOfRollup(rollup: Rollup, parts: ReadonlySet<SeriesPart>): SeriesSums {
  const { run_count, error_count, latency, first_token } = rollup;
  const { prompt_tokens, completion_tokens, total_tokens } = rollup;
  const latencyAt = (share: number) => percentileOf(latency, share) ?? null;
  const firstTokenAt = (share: number) => percentileOf(first_token, share) ?? null;
  return {
    runs: run_count,
    errors: error_count,
    error_rate: run_count === 0 ? null : error_count / run_count,
    ...(parts.has('latency')
      ? { latency_p50: latencyAt(0.5), latency_p95: latencyAt(0.95), latency_p99: latencyAt(0.99) }
      : {}),
    ...(parts.has('first_token')
      ? { first_token_p50: firstTokenAt(0.5), first_token_p95: firstTokenAt(0.95) }
      : {}),
    ...(parts.has('tokens') ? { prompt_tokens, completion_tokens, total_tokens } : {}),
    ...(parts.has('cost')
      ? { total_cost: rollup.total_cost_count === 0 ? null : Number(rollup.total_cost) }
      : {}),
  };
}
