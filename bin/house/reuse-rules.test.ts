import { expect, test } from 'vitest';
import { loneFiles, recurringShapes } from './reuse-rules.ts';

test('when parameters write out one object type three times, then it recurs', () => {
  const files = [{ parameter_shapes: ['id: string', 'at: number'] }, { parameter_shapes: ['id: string'] }];
  expect(recurringShapes(files)).toEqual([]);
  expect(recurringShapes([...files, { parameter_shapes: ['id: string'] }])).toEqual(['3 { id: string }']);
});

test('when a small file has one importer, then it is a file for one, unless it offers much', () => {
  const small = { path: 'a/small.ts', lines: 10, exports: 1, imports: [] };
  const user = { path: 'a/user.ts', lines: 200, exports: 1, imports: ['a/small.ts', 'a/small.ts'] };
  const other = { ...user, path: 'a/other.ts' };
  expect(loneFiles([small, user])).toEqual(['a/small.ts (10) <- a/user.ts']);
  expect(loneFiles([small, user, other])).toEqual([]);
  expect(loneFiles([{ ...small, exports: 3 }, user])).toEqual([]);
  expect(loneFiles([{ ...small, lines: 36 }, user])).toEqual([]);
  expect(
    loneFiles([
      { ...small, path: 'a/migrations/1.ts' },
      { ...user, imports: ['a/migrations/1.ts'] },
    ]),
  ).toEqual([]);
});
