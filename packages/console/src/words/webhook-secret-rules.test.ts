import { expect, test } from 'vitest';
import { newSecretsOf } from './webhook-secret-rules.ts';

const [url, other] = ['https://a.example/1', 'https://a.example/2'];

test.each([
  [[], []],
  [[{ url, secret: '********' }], []],
  [[{ url }, { url: other, secret: null }], []],
  [
    [
      { url, secret: 'whsec_abc' },
      { url: other, secret: 'whsec_def' },
      { url: 'https://a.example/3', secret: '********' },
    ],
    [
      { url, secret: 'whsec_abc' },
      { url: other, secret: 'whsec_def' },
    ],
  ],
])('when an answer has the webhooks %j, then its new secrets are %j', (webhooks, secrets) => {
  expect(newSecretsOf(webhooks)).toEqual(secrets);
});
