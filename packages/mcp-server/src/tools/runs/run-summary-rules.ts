import type { Run } from '@roadstead/contracts/observability';
import { cutText, headOf, type ShownText } from '../../paging/text-cut-rules.ts';

/** What is said of a run in a line. */

const ERROR_CHARS = 200;
/** A Python error that was sent as its traceback says what happened in its last line. */
const TRACEBACK = 'Traceback (most recent call last)';

export function errorLine(error: string | null | undefined): ShownText | undefined {
  if (error === null || error === undefined) return undefined;
  const isTraceback = error.trimStart().startsWith(TRACEBACK);
  const said = isTraceback ? (/[^\n]+$/.exec(error.trimEnd().slice(-10_000))?.[0] ?? '') : error.trimStart();
  const [line = ''] = said.split('\n', 1);
  return cutText(line.trim(), ERROR_CHARS);
}

/** Seconds, to the millisecond; undefined for a run that is not over. */
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

/** The API writes times in UTC without saying so. */
function instantOf(time: string): number {
  return Date.parse(/Z|[+-]\d\d:?\d\d$/.test(time) ? time : `${time}Z`);
}

/** Of one record, over all of its keys. */
const MAX_LABELS = 20;
const LABEL_CHARS = 60;

/** Of each key of feedback how often it was given and what it is on average, or which values it has most. */
export function feedbackFigures(stats: unknown): Record<string, unknown> {
  if (typeof stats !== 'object' || stats === null) return {};
  const keys = Object.entries(stats);
  const most = Math.max(1, Math.floor(MAX_LABELS / keys.length));
  return Object.fromEntries(
    keys.map(([key, figures]) => {
      const { n, avg, errors, values } = (figures ?? {}) as Readonly<Record<string, unknown>>;
      return [key, told({ n, avg, errors: errors === 0 ? null : errors, ...labelsIn(values, most) })];
    }),
  );
}

/** Labels stand in the order of how often they were given, and may be as many and as long as people write them. */
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

/** The members that are said of anything; null, undefined, empty lists and objects say nothing. */
export function told(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => !isNothing(value)));
}

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value !== 'object') return false;
  for (const _key in value) return false;
  return true;
}
