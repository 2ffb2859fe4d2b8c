import type { Series, SeriesQuery, SeriesSums } from '@roadstead/contracts/observability';
import { count, dollars, share } from '../../words/number-rules.ts';
import { duration } from '../../words/time-rules.ts';
import { FAILED } from './point-rules.ts';

/** What the page of monitoring shows: periods, charts, and how figures compare. */

export const periods = [
  { name: '1h', label: 'Last hour', ms: 3_600_000, bucket_s: 60 },
  { name: '6h', label: 'Last 6 hours', ms: 6 * 3_600_000, bucket_s: 300 },
  { name: '1d', label: 'Last day', ms: 86_400_000, bucket_s: 900 },
  { name: '7d', label: 'Last week', ms: 7 * 86_400_000, bucket_s: 3600 },
  { name: '30d', label: 'Last 30 days', ms: 30 * 86_400_000, bucket_s: 21_600 },
] as const;
export type PeriodName = (typeof periods)[number]['name'];
export const periodNames: readonly PeriodName[] = periods.map(({ name }) => name);

export const groupings = [
  ['', 'Everything'],
  ['project', 'By project'],
  ['model', 'By model'],
  ['tool', 'By tool'],
  ['revision', 'By revision'],
  ['tag', 'By tag'],
  ['run_type', 'By kind of run'],
] as const;

/** Models and tools are called by runs within traces. */
export const isWithin = (by: string | undefined): boolean =>
  by === 'model' || by === 'tool' || by === 'run_type';
export const usualRuns = (by: string | undefined): 'all' | 'roots' => (isWithin(by) ? 'all' : 'roots');

/** What the address of the page says; a deployment stands for its project. */
export interface MonitoringSettings {
  readonly deployment: string | undefined;
  readonly project: string | undefined;
  readonly period: PeriodName | undefined;
  readonly by: NonNullable<SeriesQuery['group_by']>['attribute'] | undefined;
  readonly runs: 'roots' | 'all' | undefined;
  readonly filter: string | undefined;
  readonly percentile: Percentile | undefined;
}

type Amount = (sums: SeriesSums) => number | null;

export interface ChartLine {
  readonly label: string;
  readonly of: Amount;
  readonly tone?: 'bad';
  /** Which runs the line is of, where it is not of all of the chart's. */
  readonly condition?: string;
  /** Whether more of it is worse, where that differs from the chart's. */
  readonly more?: 'worse';
}

export interface Chart {
  readonly title: string;
  readonly format: (value: number) => string;
  readonly bars?: boolean;
  /** The lines where nothing is grouped; the first one is told of each group otherwise. */
  readonly lines: readonly ChartLine[];
  /** Which runs the chart is of, where it is not of all. */
  readonly condition?: string;
  /** Whether there are none where nothing ran, as of what is counted; a latency is then absent. */
  readonly counts?: boolean;
  /** Whether more is worse, equal, or neither. */
  readonly more: 'worse' | 'neither';
}

const seconds = (value: number) => duration(value * 1000);
const orNull = (value: number | null | undefined) => value ?? null;

export const charts: readonly Chart[] = [
  {
    title: 'Runs',
    counts: true,
    format: count,
    bars: true,
    more: 'neither',
    lines: [
      { label: 'runs', of: ({ runs }) => runs },
      { label: 'errors', of: ({ errors }) => errors, tone: 'bad', condition: FAILED, more: 'worse' },
    ],
  },
  {
    title: 'Error rate',
    format: share,
    more: 'worse',
    condition: FAILED,
    lines: [{ label: 'error rate', of: ({ error_rate }) => error_rate, tone: 'bad' }],
  },
  {
    title: 'Latency',
    format: seconds,
    more: 'worse',
    lines: [
      { label: 'p50', of: ({ latency_p50 }) => orNull(latency_p50) },
      { label: 'p95', of: ({ latency_p95 }) => orNull(latency_p95) },
      { label: 'p99', of: ({ latency_p99 }) => orNull(latency_p99) },
    ],
  },
  {
    title: 'Time to the first token',
    format: seconds,
    more: 'worse',
    lines: [
      { label: 'p50', of: ({ first_token_p50 }) => orNull(first_token_p50) },
      { label: 'p95', of: ({ first_token_p95 }) => orNull(first_token_p95) },
    ],
  },
  {
    title: 'Tokens',
    counts: true,
    format: count,
    bars: true,
    more: 'neither',
    lines: [
      { label: 'all', of: ({ total_tokens }) => orNull(total_tokens) },
      { label: 'completion', of: ({ completion_tokens }) => orNull(completion_tokens) },
    ],
  },
  {
    title: 'Cost',
    counts: true,
    format: dollars,
    bars: true,
    more: 'worse',
    lines: [{ label: 'cost', of: ({ total_cost }) => orNull(total_cost) }],
  },
];

/** The percentiles of which one stands for each group, where lines are groups. */
export const percentiles = ['p50', 'p95', 'p99'] as const;
export type Percentile = (typeof percentiles)[number];

/** The line that is told of each group: that of the percentile where the chart has it, and the first otherwise. */
export const lineOfGroups = ({ lines }: Chart, percentile: Percentile): ChartLine | undefined =>
  lines.find(({ label }) => label === percentile) ?? lines[0];

/** A chart for each key of feedback. */
export const feedbackChart = (key: string): Chart => ({
  title: `Feedback: ${key}`,
  format: (value) => value.toFixed(2),
  more: 'neither',
  condition: `eq(feedback_key, ${JSON.stringify(key)})`,
  lines: [{ label: 'average', of: ({ feedback }) => feedback?.[key]?.average ?? null }],
});

/** The begin of every bucket of a period, those without runs included. */
export function timesOf(answer: {
  readonly start_time: string;
  readonly end_time: string;
  readonly bucket_s: number;
}): number[] {
  const step = answer.bucket_s * 1000;
  const first = Math.floor(Date.parse(answer.start_time) / step) * step;
  const length = Math.max(0, Math.ceil((Date.parse(answer.end_time) - first) / step));
  return Array.from({ length }, (_, index) => first + index * step);
}

interface Values {
  readonly times_ms: readonly number[];
  readonly of: Amount;
  /** What a bucket without runs has. */
  readonly empty: 0 | null;
}

/** A value of a series for each time. */
export function valuesAt({ points }: Series, { times_ms, of, empty }: Values): (number | null)[] {
  const byTime = new Map(points.map((point) => [Date.parse(point.start_time), of(point)]));
  return times_ms.map((time) => (byTime.has(time) ? (byTime.get(time) ?? null) : empty));
}

export interface Change {
  readonly word: string;
  readonly tone: 'good' | 'bad' | 'quiet';
}

/** How a figure compares with that of the period before. */
export function changeOf(
  { now, before }: { readonly now: number | null; readonly before: number | null },
  more: Chart['more'],
): Change | undefined {
  if (now === null || before === null || before === 0) return undefined;
  const ratio = now / before - 1;
  if (Math.abs(ratio) < 0.005) return { word: 'as before', tone: 'quiet' };
  const word = `${ratio > 0 ? '+' : '−'}${Math.abs(ratio * 100).toFixed(Math.abs(ratio) < 0.1 ? 1 : 0)} %`;
  if (more === 'neither') return { word, tone: 'quiet' };
  return { word, tone: ratio > 0 ? 'bad' : 'good' };
}

interface Figure {
  readonly label: string;
  /** What it comes to in the whole period, as it is told. */
  readonly value: string;
  readonly change: Change | undefined;
}

/** What a line of a chart comes to, and how that compares with the period before. */
export function figureOf(
  line: ChartLine,
  { chart: { format, more }, all }: { readonly chart: Chart; readonly all: Series | undefined },
): Figure {
  const now = all === undefined ? null : line.of(all.total);
  const before = all?.before == null ? null : line.of(all.before);
  return {
    label: line.label,
    value: now === null ? '–' : format(now),
    change: changeOf({ now, before }, line.more ?? more),
  };
}
