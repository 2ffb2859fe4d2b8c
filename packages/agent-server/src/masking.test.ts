import { expect, test } from 'vitest';
import { createMask } from './masking.ts';

const pem = '-----BEGIN KEY-----\nfirst line of it\nsecond line of it\n-----END KEY-----';
const mask = createMask(() => [
  { TOKEN: 'token-4711', SHORT: 'abc', PEM: pem, LANGSMITH_PROJECT: 'my-project' },
  { LONGER: 'token-4711-and-more' },
]);

test.each([
  ['a value', 'it is token-4711!', 'it is ********!'],
  ['a value that another one begins with', 'token-4711-and-more', '********'],
  ['what is too short to be told from words', 'abc', 'abc'],
  ['what stands in every trace anyway', 'my-project', 'my-project'],
  ['one line of several', 'log: second line of it', 'log: ********'],
  ['all lines', pem, '********'],
  ['all lines as JSON writes them', JSON.stringify({ pem }), '{"pem":"********"}'],
])('when a text holds %s, then only what must be is masked', (_what, text, shown) => {
  expect(mask(text)).toBe(shown);
});
