import { expect, test } from 'vitest';
import { unneededPythons } from './kept-pythons-rules.ts';

const at = (version: string) => `cpython-${version}-linux-x86_64-gnu`;
const there = ['3.12.1', '3.12.9', '3.12.10', '3.13.0'].map(at);

test.each([
  ['the very version', ['3.12.1'], ['3.12.9', '3.12.10', '3.13.0']],
  ['a version that is gone', ['3.12.4'], ['3.12.1', '3.12.9', '3.13.0']],
  ['several', ['3.12.9', '3.13.0'], ['3.12.1', '3.12.10']],
  ['a minor that nobody brought', ['3.11.2'], ['3.12.1', '3.12.9', '3.12.10', '3.13.0']],
])('when artifacts name %s, then the others are not needed', (_what, versions, unneeded) => {
  expect(unneededPythons(there, new Set(versions))).toEqual(unneeded.map(at));
});

test('when a folder is of something else, then it stays', () => {
  const others = ['.cache', '.found', 'pypy-3.11.13-linux-x86_64-gnu', 'cpython-3.12-linux-x86_64-gnu'];
  expect(unneededPythons(others, new Set())).toEqual([]);
});
