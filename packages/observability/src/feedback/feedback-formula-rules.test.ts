import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Formula, withFormulas } from './feedback-formula-rules.ts';
import type { KeyStats } from '../records/feedback-row.ts';

const stats = (avg: number | null, n = 1): KeyStats => ({
  n,
  avg,
  min: avg,
  max: avg,
  stdev: null,
  errors: 0,
  values: {},
  comments: [],
  sources: ['api'],
  contains_thread_feedback: false,
});
const formula = (aggregation_type: 'sum' | 'avg', weights: Record<string, number>): Formula => ({
  feedback_key: 'f',
  aggregation_type,
  formula_parts: Object.entries(weights).map(([key, weight]) => ({ part_type: 'weighted_key', weight, key })),
});

describe('formulas over feedback', () => {
  it.each([
    ['a weighted sum', formula('sum', { a: 3, b: 1 }), { a: stats(1), b: stats(0.5, 4) }, 3.5],
    ['a weighted mean', formula('avg', { a: 3, b: 1 }), { a: stats(1), b: stats(0.5) }, 0.875],
    ['a weight below nothing', formula('sum', { a: -2 }), { a: stats(3) }, -6],
    ['a key without feedback', formula('sum', { a: 1, b: 1 }), { a: stats(1) }, undefined],
    ['a key without scores', formula('sum', { a: 1 }), { a: stats(null) }, undefined],
    [
      'weights that add up to nothing',
      formula('avg', { a: 1, b: -1 }),
      { a: stats(1), b: stats(1) },
      undefined,
    ],
  ])('when a formula is asked for %s, then it gives that or nothing', (_, one, given, avg) => {
    expect(withFormulas(given, [one])['f']?.avg).toBe(avg);
  });

  it('when a formula is computed, then it says so, and feedback under its key is left alone', () => {
    const one = formula('sum', { a: 1 });
    expect(withFormulas({ a: stats(1, 7) }, [one])['f']).toMatchObject({
      n: 7,
      sources: [{ type: '__ls_composite_feedback' }],
    });
    expect(withFormulas({ a: stats(1), f: stats(9) }, [one])['f']).toEqual(stats(9));
  });

  it('when a formula is a mean, then it lies between the least and the largest of its parts', () => {
    const part = fc.tuple(
      fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 10 }), (parts) => {
        const given = Object.fromEntries(parts.map(([avg], index) => [`k${index}`, stats(avg)]));
        const weights = Object.fromEntries(parts.map(([, weight], index) => [`k${index}`, weight]));
        const made = withFormulas(given, [formula('avg', weights)])['f']?.avg ?? Number.NaN;
        const scores = parts.map(([avg]) => avg);
        const slack = 1e-6 * (1 + Math.max(...scores.map(Math.abs)));
        expect(made).toBeGreaterThanOrEqual(Math.min(...scores) - slack);
        expect(made).toBeLessThanOrEqual(Math.max(...scores) + slack);
      }),
    );
  });
});
