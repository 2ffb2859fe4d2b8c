import { expect, test } from 'vitest';
import { optionsOf } from './choice-rules.ts';

const found = [{ id: 'a', name: 'Apple' }];

test.each([
  [{ id: '', name: undefined }, [['a', 'Apple']]],
  [{ id: 'a', name: 'Apple' }, [['a', 'Apple']]],
  [
    { id: 'z', name: 'Zebra' },
    [
      ['z', 'Zebra'],
      ['a', 'Apple'],
    ],
  ],
  [
    { id: 'z', name: null },
    [
      ['z', 'z'],
      ['a', 'Apple'],
    ],
  ],
])('when %j is chosen, then the options are %j', (chosen, options) => {
  expect(optionsOf(found, chosen)).toEqual(options);
});
