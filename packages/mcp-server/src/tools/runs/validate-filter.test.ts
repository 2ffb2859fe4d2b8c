import { expect, test } from 'vitest';
import { filterFaultAt } from './validate-filter.ts';

test.each([
  [
    'eq(nam, "x")',
    '`filter` is wrong at character 4: there is no field `nam`. Did you mean `name`?',
    {
      message: '`filter` is wrong at character 4: there is no field `nam`.',
      position: 4,
      near: 'nam, "x")',
      suggestion: 'Did you mean `name`?',
    },
  ],
  [
    'a\nb c',
    '`filter` is wrong at line 2, character 3: x.',
    { message: '`filter` is wrong at line 2, character 3: x.', position: 5, near: 'c' },
  ],
  ['x', 'Invalid filter', { message: 'Invalid filter' }],
])(
  'when the filter is %j and the API says %j, then the fault is told by its place',
  (filter, said, fault) => {
    expect(filterFaultAt(filter, said)).toEqual(fault);
  },
);
