import { expect, test } from 'vitest';
import { circlesOf, deriveFloors, edgesOf, type FolderImport, upwardImports } from './floor-rules.ts';

const imports = (...pairs: readonly (readonly [string, string])[]): FolderImport[] =>
  pairs.map(([from, to]) => ({ from, to, file: `${from}/x.ts`, imported: `${to}/y.ts` }));

test('when a folder imports a lower floor, then nothing is upward', () => {
  const found = imports(['routes', 'records'], ['routes', 'reading'], ['reading', 'records']);
  expect(upwardImports(found, ['records', 'reading', 'routes'])).toEqual([]);
  expect(upwardImports(found, ['reading', 'records', 'routes']).map(({ from, to }) => [from, to])).toEqual([
    ['reading', 'records'],
  ]);
});

test('when imports form no circle, then floors without an upward import are found from any start', () => {
  const names = Array.from({ length: 12 }, (_, at) => `folder-${(at * 7) % 12}`);
  const found = imports(...names.flatMap((from, at) => names.slice(0, at).map((to) => [from, to] as const)));
  expect(deriveFloors(found, names.toSorted())).toEqual(names);
});

test('when two folders import each other, then the fewer imports are upward', () => {
  const found = imports(['a', 'b'], ['b', 'a'], ['b', 'a']);
  expect(deriveFloors(found, ['a', 'b'])).toEqual(['a', 'b']);
});

test('when nodes reach each other, then they are one circle', () => {
  const edges = edgesOf([
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'a'],
    ['c', 'd'],
    ['e', 'd'],
  ]);
  expect(circlesOf(edges).map((circle) => circle.toSorted())).toEqual([['a', 'b', 'c']]);
});
