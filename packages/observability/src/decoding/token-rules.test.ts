import { constantFrom, dictionary, nat, option, record, assert, property } from 'fast-check';
import { expect, it } from 'vitest';
import { costsBy } from '../prices/price-rules.ts';
import { type ReportedTokens, tokensOf } from './token-rules.ts';

const said = (tokens: Partial<ReportedTokens>): ReportedTokens => ({
  prompt: undefined,
  completion: undefined,
  total: undefined,
  ...tokens,
});
const read = (cache_read: number, cache_creation = 0) => ({ cache_read, cache_creation });

it.each<[string, Partial<ReportedTokens>, readonly [number, number, number]]>([
  [
    'caches beside the input',
    { prompt: 19, completion: 7, prompt_token_details: read(9000, 500) },
    [9519, 7, 9526],
  ],
  [
    'the same with their total',
    { prompt: 19, completion: 7, total: 9526, prompt_token_details: read(9000, 500) },
    [9519, 7, 9526],
  ],
  [
    'the same with a total without them',
    { prompt: 19, completion: 7, total: 26, prompt_token_details: read(9000, 500) },
    [9519, 7, 9526],
  ],
  [
    'caches beside a larger input, by the total',
    { prompt: 100, completion: 7, total: 167, prompt_token_details: read(60) },
    [160, 7, 167],
  ],
  [
    'caches within the input',
    { prompt: 9519, completion: 7, total: 9526, prompt_token_details: read(9000, 500) },
    [9519, 7, 9526],
  ],
  [
    'a part of a cache',
    { prompt: 100, completion: 0, prompt_token_details: { cache_read: 90, cache_read_over_200k: 60 } },
    [100, 0, 100],
  ],
  [
    'a cache that lives for a while, counted twice',
    {
      prompt: 100,
      completion: 0,
      prompt_token_details: { cache_creation: 60, ephemeral_5m_input_tokens: 60 },
    },
    [100, 0, 100],
  ],
  [
    'caches that live for a while, beside the input',
    { prompt: 10, completion: 0, prompt_token_details: { cache_creation: 0, ephemeral_1h_input_tokens: 60 } },
    [70, 0, 70],
  ],
  [
    'sound that was read from a cache',
    { prompt: 100, completion: 0, prompt_token_details: { cache_read: 64, audio: 80 } },
    [100, 0, 100],
  ],
  ['sound beside the input', { prompt: 10, completion: 0, prompt_token_details: { audio: 80 } }, [90, 0, 90]],
  ['a total beyond both sides', { prompt: 41, completion: 5, total: 389 }, [41, 348, 389]],
  [
    'thoughts beside the output',
    { prompt: 41, completion: 5, total: 389, completion_token_details: { reasoning: 343 } },
    [41, 348, 389],
  ],
  [
    'thoughts beside the output, without a total',
    { prompt: 41, completion: 5, completion_token_details: { reasoning: 343 } },
    [41, 348, 389],
  ],
  [
    'thoughts within the output',
    { prompt: 41, completion: 348, total: 389, completion_token_details: { reasoning: 343 } },
    [41, 348, 389],
  ],
  ['an output and a total', { completion: 5, total: 12 }, [7, 5, 12]],
  ['an input and a total', { prompt: 5, total: 12 }, [5, 7, 12]],
  ['a total alone', { total: 12 }, [0, 0, 12]],
])(
  'when a provider reports %s, then every token is counted once',
  (_what, tokens, [prompt_tokens, completion_tokens, total_tokens]) => {
    expect(tokensOf(said(tokens))).toEqual({ prompt_tokens, completion_tokens, total_tokens });
  },
);

it('when caches stand beside the input, then they are priced as what they are', () => {
  const details = { prompt_token_details: read(9000, 500), completion_token_details: undefined };
  const tokens = tokensOf(said({ prompt: 19, completion: 7, ...details }));
  const rates = {
    prompt_cost: '0.000003',
    completion_cost: '0.000015',
    prompt_cost_details: { cache_read: '0.0000003', cache_creation: '0.00000375' },
    completion_cost_details: null,
  };
  expect(costsBy(rates, { ...tokens, ...details }).total_cost).toBe('0.004737');
});

it('when tokens are reported, then no fewer are counted, and no detail exceeds its side', () => {
  const count = option(nat(10_000), { nil: undefined });
  const kinds = dictionary(constantFrom('cache_read', 'cache_creation', 'audio', 'reasoning'), nat(10_000));
  const any = record({
    prompt: count,
    completion: count,
    total: count,
    prompt_token_details: kinds,
    completion_token_details: kinds,
  });
  assert(
    property(any, (one) => {
      const { prompt_tokens, completion_tokens, total_tokens } = tokensOf(one);
      expect(prompt_tokens).toBeGreaterThanOrEqual(Math.max(0, one.prompt ?? 0));
      expect(completion_tokens).toBeGreaterThanOrEqual(Math.max(0, one.completion ?? 0));
      expect(total_tokens).toBeGreaterThanOrEqual(
        Math.max(prompt_tokens + completion_tokens, one.total ?? 0),
      );
      for (const amount of Object.values(one.prompt_token_details))
        expect(amount).toBeLessThanOrEqual(prompt_tokens);
      for (const amount of Object.values(one.completion_token_details))
        expect(amount).toBeLessThanOrEqual(completion_tokens);
    }),
  );
});
