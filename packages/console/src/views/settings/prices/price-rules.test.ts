import { expect, test } from 'vitest';
import { perMillion, perToken } from './price-rules.ts';

test.each([
  [0.000002, '2'],
  [0.00000015, '0.15'],
  [0.000_000_6, '0.6'],
  [0, '0'],
])('when a token costs %d, then a million of them cost %s', (per_token, per_million) => {
  expect(perMillion(per_token)).toBe(per_million);
  expect(perToken(per_million)).toBe(per_token);
});
