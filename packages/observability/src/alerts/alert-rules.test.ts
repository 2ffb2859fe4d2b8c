import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLANK_ALERT } from './alert-fields-rules.ts';
import type { AlertDefinition, AlertStanding } from './alert-row.ts';
import { intervalOf, nextDue, planEvaluation, valueOf } from './alert-rules.ts';

const calm: AlertStanding = { condition: 'ok', streak: 0, state: 'ok', told: 'ok' };
const defined = (more: Partial<AlertDefinition> = {}): AlertDefinition => ({
  ...BLANK_ALERT.definition,
  threshold: 10,
  ...more,
});

/** What is shown and told after each value; `M` before a value means that it is silenced then. */
function follow(
  definition: AlertDefinition,
  values: readonly (number | null | readonly ['M', number | null])[],
) {
  let standing = calm;
  return values.map((one, now_ms) => {
    const [value, muted_until] = Array.isArray(one)
      ? [one[1] as number | null, new Date(now_ms + 1).toISOString()]
      : [one as number | null, null];
    const planned = planEvaluation({ definition, muted_until, ...standing }, { value, now_ms });
    ({ standing } = planned);
    return `${standing.state}${planned.transition?.notified === true ? '!' : ''}`;
  });
}

describe('evaluations', () => {
  it.each([
    ['a threshold above', {}, [9, 10, 11, 11, 10], ['ok', 'ok', 'firing!', 'firing', 'ok!']],
    ['a threshold below', { comparison: 'below' }, [11, 10, 9, 10], ['ok', 'ok', 'firing!', 'ok!']],
    [
      'another threshold to resolve',
      { resolve_threshold: 5 },
      [11, 9, 6, 5, 9],
      ['firing!', 'firing', 'firing', 'ok!', 'ok'],
    ],
    [
      'several breaches to fire',
      { breaches_to_fire: 3 },
      [11, 11, 9, 11, 11, 11],
      ['ok', 'ok', 'ok', 'ok', 'ok', 'firing!'],
    ],
    [
      'several evaluations to resolve',
      { clears_to_resolve: 2 },
      [11, 9, 11, 9, 9],
      ['firing!', 'firing', 'firing', 'firing', 'ok!'],
    ],
    [
      'no data',
      {},
      [null, 9, 11, null, 11, null, 9],
      ['no_data', 'ok', 'firing!', 'no_data', 'firing', 'no_data', 'ok!'],
    ],
    ['no data told', { notify_no_data: true }, [null, null, 9], ['no_data!', 'no_data', 'ok!']],
    [
      'breaches after no data',
      { breaches_to_fire: 2 },
      [11, null, 11, 11],
      ['ok', 'no_data', 'ok', 'firing!'],
    ],
    [
      'a silence',
      {},
      [9, ['M', 11], ['M', 11], 11, ['M', 9], 9],
      ['ok', 'silenced', 'silenced', 'firing!', 'silenced', 'ok!'],
    ],
    ['a silence in which it was over', {}, [['M', 11], ['M', 9], 9], ['silenced', 'silenced', 'ok']],
    ['a silence while it fires', {}, [11, ['M', 11], 11], ['firing!', 'silenced', 'firing']],
  ] as const)('when there is %s, then the state is shown and told so', (_, more, values, states) => {
    expect(follow(defined(more), values)).toEqual(states);
  });

  const value = fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 20 }));
  const history = fc.array(fc.tuple(fc.boolean(), value), { maxLength: 60 });
  const definition = fc
    .record({
      breaches_to_fire: fc.integer({ min: 1, max: 4 }),
      clears_to_resolve: fc.integer({ min: 1, max: 4 }),
      resolve_threshold: fc.option(fc.integer({ min: 0, max: 10 }), { nil: null }),
      notify_no_data: fc.boolean(),
    })
    .map(defined);
  const stepsOf = (of: AlertDefinition, values: readonly (readonly [boolean, number | null])[]) =>
    follow(
      of,
      values.map(([is_muted, one]) => (is_muted ? (['M', one] as const) : one)),
    );

  it('when anything happens, then no state is told twice in a row, and nothing in a silence', () => {
    fc.assert(
      fc.property(definition, history, (of, values) => {
        const steps = stepsOf(of, values);
        const told = ['ok!', ...steps.filter((step) => step.endsWith('!'))];
        expect(told.filter((step, at) => step === told[at - 1])).toEqual([]);
        expect(steps.map((step) => step === 'silenced')).toEqual(values.map(([is_muted]) => is_muted));
      }),
    );
  });

  it('when it begins to fire, then as many breaches came one after the other as it needs', () => {
    fc.assert(
      fc.property(definition, history, (of, values) => {
        const open = values.map(([, one]) => [false, one] as const);
        const steps = stepsOf(of, open);
        const begins = steps.flatMap((step, at) => (step === 'firing!' ? [at] : []));
        const before = begins.map((at) => values.slice(at + 1 - of.breaches_to_fire, at + 1));
        expect(before.flat().filter(([, one]) => one === null || one <= 10)).toEqual([]);
        expect(before.filter(({ length }) => length < of.breaches_to_fire)).toEqual([]);
      }),
    );
  });
});

it.each([
  ['runs', 0],
  ['error_rate', null],
  ['latency_p95', null],
  ['total_cost', 0],
  ['feedback_count', 0],
  ['feedback_average', null],
] as const)('when nothing ran, then the value of %s is %s', (metric, found) => {
  const none = { runs: 0, errors: 0, error_rate: null, latency_p95: null, total_cost: null, feedback: {} };
  expect(valueOf(none, defined({ metric, feedback_key: 'stars' }))).toBe(found);
});

it('when an alert is due again, then by its window, and at the end of its silence', () => {
  expect([60, 3600, 86_400, 604_800].map((window_s) => intervalOf({ window_s }))).toEqual([
    60, 60, 1440, 3600,
  ]);
  expect(nextDue({ definition: defined(), muted_until: new Date(9000).toISOString() }, 0)).toBe(9000);
  expect(nextDue({ definition: defined(), muted_until: new Date(9000).toISOString() }, 9000)).toBe(69_000);
});
