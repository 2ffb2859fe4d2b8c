import { expect, test } from 'vitest';
import { ownBytes, parentOf, treesOf } from './memory-rules.ts';

test('when processes are many, then a tree is one of them with all below it', () => {
  const processes = [
    { pid: 1, parent: 0 },
    { pid: 10, parent: 1 },
    { pid: 11, parent: 10 },
    { pid: 12, parent: 11 },
    { pid: 20, parent: 1 },
    { pid: 21, parent: 10 },
  ];
  expect([...treesOf([10, 20, 99], processes)]).toEqual([
    [10, [10, 11, 21, 12]],
    [20, [20]],
    [99, [99]],
  ]);
});

test.each([
  ['12 (node) S 7 12 12 0', 7],
  ['12 (a ) (b) S 7 12 0', 7],
  ['', 0],
])('when the kernel says "%s", then the parent is %i', (stat, parent) => {
  expect(parentOf(stat)).toBe(parent);
});

test('when memory is counted, then what is shared with files is left out', () => {
  const status =
    'Name:\tnode\nVmRSS:\t  2260 kB\nRssAnon:\t     144 kB\nRssFile:\t    2116 kB\nRssShmem:\t       6 kB\n';
  expect(ownBytes(status)).toBe(150 * 1024);
  expect(ownBytes('')).toBe(0);
});
