import { expect, test } from 'vitest';
import { newSecretOf } from './webhook-secret-rules.ts';

test.each([
  [[], undefined],
  [[{ secret: '********' }], undefined],
  [[{}, { secret: null }], undefined],
  [[{ secret: '********' }, { secret: 'whsec_abc' }], 'whsec_abc'],
])('when an answer has the webhooks %j, then its new secret is %s', (webhooks, secret) => {
  expect(newSecretOf(webhooks)).toBe(secret);
});
