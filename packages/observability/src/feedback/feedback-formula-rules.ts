import type { FeedbackFormula } from '@roadstead/contracts/observability';
import type { FeedbackStats, KeyStats } from '../records/feedback-row.ts';

export type Formula = Pick<FeedbackFormula, 'feedback_key' | 'aggregation_type' | 'formula_parts'>;

/** The source of computed feedback, as clients know it. */
export const COMPUTED: unknown = { type: '__ls_composite_feedback' };

/** Adds the results of formulas over the mean scores. Feedback that was given under a formula's key prevails. */
export function withFormulas(stats: FeedbackStats, formulas: readonly Formula[]): FeedbackStats {
  const computed = formulas.flatMap((formula) => {
    const made = computedStats(stats, formula);
    return made === undefined || formula.feedback_key in stats ? [] : [[formula.feedback_key, made] as const];
  });
  return { ...stats, ...Object.fromEntries(computed) };
}

/** Undefined where one of the keys has no score. */
function computedStats(stats: FeedbackStats, formula: Formula): KeyStats | undefined {
  const parts = formula.formula_parts.map(({ key, weight }) => ({
    n: stats[key]?.n ?? 0,
    avg: stats[key]?.avg ?? undefined,
    weight,
  }));
  const weights = parts.reduce((sum, { weight }) => sum + weight, 0);
  const sum = parts.reduce((total, { avg = Number.NaN, weight }) => total + avg * weight, 0);
  const avg = formula.aggregation_type === 'sum' ? sum : sum / weights;
  if (!Number.isFinite(avg)) return undefined;
  return {
    n: Math.min(...parts.map((part) => part.n)),
    avg,
    min: null,
    max: null,
    stdev: null,
    errors: 0,
    values: {},
    comments: [],
    sources: [COMPUTED],
    contains_thread_feedback: false,
  };
}
