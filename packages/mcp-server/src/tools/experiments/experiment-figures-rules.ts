import type { TracerSession } from '@roadstead/contracts/observability';
import { feedbackFigures, numberOf, round, withoutEmpty } from '../runs/run-summary-rules.ts';

/** The overall figures of an experiment, and their differences from a baseline. */

const figures = [
  'run_count',
  'error_rate',
  'latency_p50',
  'latency_p99',
  'total_tokens',
  'total_cost',
] as const;
const MAX_KEYS = 20;

type Averages = Readonly<Record<string, { readonly n?: unknown; readonly avg?: unknown }>>;

interface Figures extends Readonly<Record<string, unknown>> {
  readonly feedback?: Averages;
}

export function figuresOf(experiment: TracerSession, feedback_key: string | undefined): Figures {
  const { feedback_stats, session_feedback_stats } = experiment;
  const all = Object.entries({
    ...feedbackFigures(feedback_stats),
    ...feedbackFigures(session_feedback_stats),
  });
  const wanted = all.filter(([key]) => feedback_key === undefined || key === feedback_key).slice(0, MAX_KEYS);
  const numbers = figures.map((name) => {
    const value = experiment[name];
    return [name, value === null || value === undefined ? null : numberOf(value)] as const;
  });
  return withoutEmpty({ ...Object.fromEntries(numbers), feedback: Object.fromEntries(wanted) });
}

/** A higher value than the baseline’s is above 0, whether that is good or not. */
export function deltasOf(baseline: Figures, other: Figures): Record<string, unknown> {
  const numbers = figures.map((name) => [name, difference(baseline[name], other[name])] as const);
  const feedback = Object.entries(other.feedback ?? {}).map(
    ([key, { avg }]) => [key, difference(baseline.feedback?.[key]?.avg, avg)] as const,
  );
  return withoutEmpty({
    ...Object.fromEntries(numbers),
    feedback: withoutEmpty(Object.fromEntries(feedback)),
  });
}

const difference = (before: unknown, after: unknown) =>
  typeof before === 'number' && typeof after === 'number' ? round(after - before) : null;
