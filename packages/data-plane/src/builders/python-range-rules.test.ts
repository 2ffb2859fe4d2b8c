import { expect, test } from 'vitest';
import { takesMinor } from './python-range-rules.ts';

test.each([
  ['>=3.13', false],
  ['>=3.12', true],
  ['>=3.12.4', true],
  ['>3.12', true],
  ['>=3.11,<3.13', true],
  ['>=3.11, <3.12', false],
  ['<3.12.4', true],
  ['<3.12.0', false],
  ['<=3.11', false],
  ['<4', true],
  ['<=3.12', false],
  ['<=3.12.9', true],
  ['==3.12', false],
  ['==3', false],
  ['===3.12.4', true],
  ['>=3.11,!=3.12.*', false],
  ['==3.12.*', true],
  ['==3.11.*', false],
  ['==3.*', true],
  ['~=3.11', true],
  ['~=3.11.2', false],
  ['~=3.12.2', true],
  ['!=3.12.3', true],
  ['as you like', true],
])('when a range is “%s”, then it takes a 3.12 or not: %s', (range, takes) => {
  expect(takesMinor(range, '3.12')).toBe(takes);
});
