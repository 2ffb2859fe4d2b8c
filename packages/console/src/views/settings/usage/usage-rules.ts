/** What a month's usage adds up to. */

export interface UsageLine {
  readonly billable_metric_id: string;
  readonly start_timestamp: string;
  readonly value: number;
}

export interface DayUsage {
  readonly day: string;
  readonly traces: number;
  readonly longlived: number;
}

const LONG = 'langsmith-extended-retention';

/** One line a day, the latest first. */
export function usageByDay(lines: readonly UsageLine[]): DayUsage[] {
  const days = Map.groupBy(lines, ({ start_timestamp }) => start_timestamp.slice(0, 10));
  return [...days]
    .map(([day, of]) => ({
      day,
      traces: sum(of.filter(({ billable_metric_id }) => billable_metric_id !== LONG)),
      longlived: sum(of.filter(({ billable_metric_id }) => billable_metric_id === LONG)),
    }))
    .toSorted((one, other) => (one.day < other.day ? 1 : -1));
}

const sum = (lines: readonly UsageLine[]) => lines.reduce((total, { value }) => total + value, 0);

export interface ProjectUsage {
  readonly project: string;
  readonly traces: number;
}

interface GranularLine {
  readonly traces: number;
  readonly dimensions: { readonly project_id: string | null; readonly project_name: string | null };
}

/** What each project received, the most first. */
export function usageByProject(lines: readonly GranularLine[]): ProjectUsage[] {
  const projects = Map.groupBy(lines, ({ dimensions: { project_id } }) => project_id);
  return [...projects.values()]
    .map((of) => ({
      project: of[0]?.dimensions.project_name ?? 'a project that is deleted',
      traces: of.reduce((total, { traces }) => total + traces, 0),
    }))
    .toSorted((one, other) => other.traces - one.traces);
}

/** `2026-11`, in UTC, as usage is counted. */
export const monthOf = (at_ms: number): string => new Date(at_ms).toISOString().slice(0, 7);

/** The month so many months later. */
export function monthAfter(month: string, step = 1): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return monthOf(Date.UTC(year, number - 1 + step, 1));
}

/** Whether a text is a month; addresses may hold anything. */
export const isMonth = (text: string): boolean => /^\d{4}-(0[1-9]|1[0-2])$/.test(text);

const name = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
export const monthName = (month: string): string => name.format(new Date(`${month}-01T00:00:00Z`));
