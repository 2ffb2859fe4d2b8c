import { Cron as Schedule } from 'croner';
import { malformed } from '@roadstead/kit';
import type { Cron } from './cron.ts';

/** Computes when crons are due. Pure. */

/** The fields that say when the runs of a cron begin. */
export type CronTimes = Pick<Cron, 'schedule' | 'timezone' | 'end_time' | 'enabled'>;

/**
 * Five fields, six that begin with seconds, or a nickname; the library's notations for dates and years are excluded.
 */
const NOTATION = /^(@\w+|\S+(\s+\S+){4,5})$/;

/** @throws Problem `malformed` where no run could ever follow from it */
export function checkTimes(
  { schedule, timezone }: Pick<CronTimes, 'schedule' | 'timezone'>,
  now: Date,
): void {
  if (!isZone(timezone ?? 'UTC'))
    throw malformed(['body', 'timezone'], 'is no IANA time zone, such as Europe/Berlin');
  const next = firstAfter({ schedule, timezone }, now);
  if (next === undefined)
    throw malformed(['body', 'schedule'], 'is no cron schedule, such as */15 * * * * or 0 9 * * 1-5');
  if (next === null) throw malformed(['body', 'schedule'], 'never comes');
}

/** The first date after another at which a run begins; null where none follows. */
export function nextRunOf({ enabled, end_time, ...times }: CronTimes, after: Date): Date | null {
  const next = enabled ? (firstAfter(times, after) ?? null) : null;
  return next !== null && end_time !== null && next.getTime() > Date.parse(end_time) ? null : next;
}

/**
 * Reads a time as JSON writes it; without a zone it is UTC.
 * @throws Problem `malformed`
 */
export function endTimeOf(written: string | null | undefined): string | null {
  if (written === null || written === undefined) return null;
  const date = new Date(/([zZ]|[+-]\d{2}:?\d{2})$/.test(written) ? written : `${written}Z`);
  // The zone may move it to the year 0 or 10000, which databases write otherwise.
  const text = Number.isNaN(date.getTime()) ? '' : date.toISOString();
  if (!/^(?!0000)\d{4}-/.test(text)) throw malformed(['body', 'end_time'], 'is no date');
  return text;
}

/** Null where the schedule has no next date, undefined where it is no schedule. */
function firstAfter(
  { schedule, timezone }: Pick<CronTimes, 'schedule' | 'timezone'>,
  after: Date,
): Date | null | undefined {
  if (!NOTATION.test(schedule.trim())) return undefined;
  try {
    return new Schedule(schedule.trim(), { paused: true, timezone: timezone ?? 'UTC' }).nextRun(after);
  } catch {
    return undefined;
  }
}

function isZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
