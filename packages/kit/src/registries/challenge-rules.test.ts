import { expect, test } from 'vitest';
import { challengeOf } from './challenge-rules.ts';

const BEARER = 'Bearer realm="https://tokens.test/t",service="images"';
const tokens = { scheme: 'bearer', realm: 'https://tokens.test/t', service: 'images', scope: undefined };
const passwords = { scheme: 'basic', realm: 'images', service: undefined, scope: undefined };

test.each([
  ['Basic realm="images"', passwords],
  ['basic realm=images, charset="UTF-8"', passwords],
  ['Negotiate YWJj==, Basic realm="images"', passwords],
  ['Basic realm="a \\"b\\", Bearer"', { ...passwords, realm: 'a "b", Bearer' }],
  ['Basic', { ...passwords, realm: '' }],
  [BEARER, tokens],
  [`${BEARER},scope="repository:a/b:pull,push"`, { ...tokens, scope: 'repository:a/b:pull,push' }],
  [`Basic realm="images", ${BEARER}`, tokens],
  [`${BEARER}, Basic realm="images"`, tokens],
])('when a registry asks by %s, then that is %j', (header, challenge) => {
  expect(challengeOf(header)).toEqual(challenge);
});

test.each([
  '',
  'Digest realm="images"',
  'Basic realm="images',
  'realm="images"',
  'Basic realm="images", Bearer realm="no address"',
  `Basic realm="${'x'.repeat(5000)}"`,
])('when a registry asks by %s, then that is not read', (header) => {
  expect(challengeOf(header)).toBeUndefined();
});
