import { expect, test } from 'vitest';
import { extractPaths } from './extract-rules.ts';

test('when a path is read, then it is names after dots and places in brackets', () => {
  expect(
    extractPaths({ last: 'values.messages[-1].content', all: 'metadata', deep: 'config.a-b.c d[0][1]' }),
  ).toEqual([
    { alias: 'last', root: 'values', path: ['messages', '-1', 'content'] },
    { alias: 'all', root: 'metadata', path: [] },
    { alias: 'deep', root: 'config', path: ['a-b', 'c d', '0', '1'] },
  ]);
  expect(extractPaths(null)).toEqual([]);
});

test.each(['status', 'value.x', 'values..x', 'values[x]', 'values.x]', 'values[1', ''])(
  'when the path is %j, then it is refused by its alias',
  (path) => {
    expect(() => extractPaths({ mine: path })).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ loc: ['body', 'extract', 'mine'] })] }),
    );
  },
);
