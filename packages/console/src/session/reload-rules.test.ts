import { expect, test } from 'vitest';
import { isMissingPart, mayReload } from './reload-rules.ts';

test.each([
  [null, 1_000_000, true],
  ['1000000', 1_001_000, false],
  ['1000000', 1_030_000, true],
  ['what is no time', 1_000_000, true],
])('when the last reload was at %s and it is %d, then it may reload: %s', (last, now_ms, may) => {
  expect(mayReload(last, now_ms)).toBe(may);
});

test.each([
  [new TypeError('Failed to fetch dynamically imported module: https://a.example/console/assets/a.js'), true],
  [new TypeError('error loading dynamically imported module: https://a.example/a.js'), true],
  [new TypeError('Importing a module script failed.'), true],
  [new Error('Unable to preload CSS for /console/assets/a.css'), true],
  [new TypeError('data.map is not a function'), false],
  ['text', false],
])('when %s is thrown, then a part of the page is missing: %s', (error, is) => {
  expect(isMissingPart(error)).toBe(is);
});
