/** Traces live in partitions, tier × week of arrival; a week is named by its Monday in UTC. */

const tiers = ['shortlived', 'longlived'] as const;
export type Tier = (typeof tiers)[number];

/** How long a trace is kept after the end of its week, in days. */
export const retention_days: Readonly<Record<Tier, number>> = { shortlived: 14, longlived: 400 };

/** The seconds that a trace of a tier is kept. */
export const secondsKept = (tier: Tier): number => (retention_days[tier] * DAY_MS) / 1000;

export interface PartitionKey {
  readonly tier: string;
  /** `2026-01-05` */
  readonly week: string;
}

export const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** 1970-01-05 was a Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

export function weekOf(now_ms: number): string {
  const weeks = Math.floor((now_ms - FIRST_MONDAY_MS) / WEEK_MS);
  return new Date(FIRST_MONDAY_MS + weeks * WEEK_MS).toISOString().slice(0, 10);
}

/** The partitions that are written now or will be within a week. */
export function partitionsAhead(now_ms: number): PartitionKey[] {
  const weeks = [weekOf(now_ms), weekOf(now_ms + WEEK_MS)];
  return tiers.flatMap((tier) => weeks.map((week) => ({ tier, week })));
}

/** The last week whose arrivals are all older than so many days. */
export function lastWeekBefore(now_ms: number, days: number): string {
  return weekOf(now_ms - days * DAY_MS - WEEK_MS);
}

/** Whether everything that arrived in that week is older than its tier allows. */
export function isExpired({ tier, week }: PartitionKey, now_ms: number): boolean {
  const days = tier === 'longlived' ? retention_days.longlived : retention_days.shortlived;
  return Date.parse(`${week}T00:00:00Z`) + WEEK_MS + days * DAY_MS <= now_ms;
}

/** The names of the tables with a partition's rows: `runs_shortlived_20260105`. */
export function tableOf(parent: 'runs' | 'payloads' | 'search', { tier, week }: PartitionKey): string {
  return `${parent}_${tier}_${week.replaceAll('-', '')}`;
}
