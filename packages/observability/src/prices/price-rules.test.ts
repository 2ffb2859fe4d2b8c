import { expect, it } from 'vitest';
import { checkPattern, patternMatcher } from './price-pattern.ts';
import { costsBy, type ModelPrice, priceAt, pricesFor } from './price-rules.ts';

const PATHS = ['model', 'model_name', 'model_id', 'model_path', 'endpoint_name'] as const;

function price(said: Partial<ModelPrice>): ModelPrice {
  return {
    id: said.name ?? 'price',
    name: 'price',
    start_time: null,
    match_path: PATHS,
    match_pattern: '.*',
    provider: null,
    prompt_cost: '0',
    completion_cost: '0',
    prompt_cost_details: null,
    completion_cost_details: null,
    tenant_id: 'w',
    created_at: '2026-01-01T00:00:00Z',
    ...said,
  };
}

const matches = (one: ModelPrice, name: string) => patternMatcher(one.match_pattern)(name);
const rates = {
  prompt_cost: '0.000002',
  completion_cost: '0.000008',
  prompt_cost_details: { cache_read: '0.0000005', cache_read_over_200k: '0.000001', audio: '0.00001' },
  completion_cost_details: { reasoning: '0.00001' },
};

it.each([
  [{ prompt_tokens: 100, completion_tokens: 10 }, '0.0002', '0.00008', undefined],
  [
    { prompt_tokens: 100, completion_tokens: 0, prompt_token_details: { cache_read: 40 } },
    '0.00014',
    '0',
    { cache_read: 0.00002 },
  ],
  // The more specific kind is priced first, and no token is charged twice.
  [
    {
      prompt_tokens: 100,
      completion_tokens: 0,
      prompt_token_details: { cache_read: 90, cache_read_over_200k: 60, text: 5 },
    },
    '0.00008',
    '0',
    { cache_read_over_200k: 0.00006, cache_read: 0.00002 },
  ],
  [
    { prompt_tokens: 0, completion_tokens: 10, completion_token_details: { reasoning: 4 } },
    '0',
    '0.000088',
    undefined,
  ],
] as const)(
  'when the usage is %j, then it costs %s and %s',
  (usage, prompt_cost, completion_cost, details) => {
    const total_tokens = usage.prompt_tokens + usage.completion_tokens;
    const costs = costsBy(rates, { ...usage, total_tokens });
    expect(costs).toMatchObject({ prompt_cost, completion_cost });
    expect(Number(costs.total_cost)).toBeCloseTo(Number(prompt_cost) + Number(completion_cost), 12);
    expect(costs.prompt_cost_details).toEqual(details);
  },
);

it.each([
  ['by the name that the SDKs write', { ls_model_name: 'fast-1' }, ['any', 'fast']],
  ['by the parameters of the call', { model_id: 'fast-2' }, ['any', 'fast']],
  ['only of the paths that it names', { endpoint_name: 'slow' }, ['any']],
  ['the SDKs’ name before the parameters', { ls_model_name: 'other', model: 'fast-1' }, ['any']],
  ['for its provider only', { ls_model_name: 'slow', provider: 'Acme' }, ['acme', 'any']],
  ['nothing without a name', { provider: 'acme' }, []],
])('when a call has to be priced, then a price is found %s', (_how, model, names) => {
  const prices = [
    price({ name: 'any', match_pattern: '.', created_at: '2027-01-01T00:00:00Z' }),
    price({ name: 'fast', match_pattern: '^fast-' }),
    price({ name: 'acme', match_pattern: '^slow$', provider: 'acme', match_path: ['model'] }),
  ];
  expect(pricesFor(prices, { model, matches }).map(({ name }) => name)).toEqual(names);
});

it('when prices begin at different times, then the latest that has begun holds', () => {
  const prices = pricesFor(
    [
      price({ name: 'first' }),
      price({ name: 'spring', start_time: '2026-03-01T00:00:00.000Z' }),
      price({ name: 'summer', start_time: '2026-06-01T00:00:00.000Z' }),
    ],
    { model: { model: 'x' }, matches },
  );
  const nameAt = (instant: string) => priceAt(prices, instant)?.name;
  expect(nameAt('2026-02-28T23:59:59.999999+00:00')).toBe('first');
  expect(nameAt('2026-03-01T00:00:00.000000+00:00')).toBe('spring');
  expect(nameAt('2026-07-01T00:00:00.000000+00:00')).toBe('summer');
});

it.each([
  ['(?=a)b', 'not a regular expression'],
  ['(a)\\1', 'not a regular expression'],
  ['(', 'not a regular expression'],
  ['((a{0,100}){0,10})b', 'repeats too much'],
])('when the pattern is %s, then it is refused', (pattern, why) => {
  expect(() => checkPattern(pattern)).toThrow(why);
});

it.each(['(a|a)*$', '(a*)*b', '(x+x+)+y', '(([a-z])+.)+[A-Z]([a-z])+$'])(
  'when the pattern is %s, then matching takes time that grows with the name only',
  (pattern) => {
    checkPattern(pattern);
    // A backtracking engine would need longer than the age of the universe.
    expect(patternMatcher(pattern)(`${'a'.repeat(200)}!`)).toBe(pattern.startsWith('(a|a)'));
  },
);
