import { expect, test } from 'vitest';
import { sharedVersion } from './versions.ts';

test.each([
  [[1], undefined, 1],
  [[1], [1], 1],
  [[1, 2, 3], [2, 1], 2],
  [[3, 1], [3, 1], 3],
  [[2], undefined, undefined],
  [[1], [2], undefined],
  [[1], [], undefined],
])('when one side speaks %j and the other %j, then both take %j', (ours, theirs, version) => {
  expect(sharedVersion(ours, theirs)).toBe(version);
});
