import { expect, test } from 'vitest';
import { whileOnePage } from './pages.ts';

const every = whileOnePage(5000);

test.each([
  ['nothing was read', undefined, 5000],
  ['one page was read', { pages: [[]] }, 5000],
  ['two pages were read', { pages: [[], []] }, false],
])('when %s, then it asks again in %s: %s', (_when, data, expected) => {
  expect(every({ state: { data } })).toBe(expected);
});
