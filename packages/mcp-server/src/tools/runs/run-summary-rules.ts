import type { Run } from '@roadstead/contracts/observability';
import { cutText, headOf, type ShownText } from '../../paging/text-cut-rules.ts';

/** Summarizes a run in a line. */

const ERROR_CHARS = 200;
/** A Python error that was sent as its traceback has its message in the last line. */
const TRACEBACK = 'Traceback (most recent call last)';

export function errorLine(error: string | null | undefined): ShownText | undefined {
  if (error === null || error === undefined) return undefined;
  const isTraceback = error.trimStart().startsWith(TRACEBACK);
  const said = isTraceback ? (/[^\n]+$/.exec(error.trimEnd().slice(-10_000))?.[0] ?? '') : error.trimStart();
  const [line = ''] = said.split('\n', 1);
  return cutText(line.trim(), ERROR_CHARS);
}

/** In seconds, to the millisecond; undefined for a run that has not ended. */
export function latencyOf({
  start_time,
  end_time,
}: Pick<Run, 'start_time' | 'end_time'>): number | undefined {
  if (start_time === undefined || end_time === null || end_time === undefined) return undefined;
  const ms = instantOf(end_time) - instantOf(start_time);
  return Number.isFinite(ms) ? Math.round(ms) / 1000 : undefined;
}

/** Some APIs write costs as texts. */
export function numberOf(value: unknown): number {
  const number = Number(value ?? 0);
  return Number.isFinite(number) ? number : 0;
}

/** Sums, means and differences of decimals are not exact. */
export const round = (value: number) => Number(value.toPrecision(10));

/** The API writes UTC times without an offset. */
function instantOf(time: string): number {
  return Date.parse(/Z|[+-]\d\d:?\d\d$/.test(time) ? time : `${time}Z`);
}

/** The most labels of one record, over all of its keys. */
const MAX_LABELS = 20;
const LABEL_CHARS = 60;

/** For each key of feedback the count and the mean, or its most frequent values. */
export function feedbackFigures(stats: unknown): Record<string, unknown> {
  if (typeof stats !== 'object' || stats === null) return {};
  const keys = Object.entries(stats);
  const most = Math.max(1, Math.floor(MAX_LABELS / keys.length));
  return Object.fromEntries(
    keys.map(([key, figures]) => {
      const { n, avg, errors, values } = (figures ?? {}) as Readonly<Record<string, unknown>>;
      return [key, withoutEmpty({ n, avg, errors: errors === 0 ? null : errors, ...labelsIn(values, most) })];
    }),
  );
}

/** Labels are ordered by frequency, and may be as many and as long as people write them. */
function labelsIn(values: unknown, most: number) {
  const labels = Object.entries((values ?? {}) as Readonly<Record<string, unknown>>);
  const shown = labels.slice(0, most).map(([label, count]) => [cutLabel(label), count] as const);
  return {
    values: Object.fromEntries(shown),
    ...(labels.length > most ? { more_values: labels.length - most } : {}),
  };
}

const cutLabel = (label: string) =>
  label.length > LABEL_CHARS ? `${headOf(label, LABEL_CHARS - 1)}…` : label;

/** The members with a value; null, undefined, empty lists and empty objects are dropped. */
export function withoutEmpty(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => !isNothing(value)));
}

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value !== 'object') return false;
  for (const _key in value) return false;
  return true;
}
