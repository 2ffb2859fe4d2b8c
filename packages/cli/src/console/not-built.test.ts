import { expect, test } from 'vitest';
import { notBuiltAnswer } from './not-built.ts';

test.each([
  ['running', 'is being built', '1'],
  ['done', 'is being built', '1'],
  ['failed', 'could not be built', '10'],
  ['elsewhere', 'is not built here', '10'],
] as const)('when the build is %s, then the page says that it %s', async (state, words, again_s) => {
  const answer = notBuiltAnswer(state);
  expect([answer.status, answer.headers.get('refresh')]).toEqual([503, again_s]);
  expect(await answer.text()).toContain(words);
});
