import { expect, test } from 'vitest';
import { itemAt, itemName } from './store-rules.ts';

test.each([
  { namespace: ['users', 'ada'], key: 'tone' },
  { namespace: ['files'], key: 'a/b.txt' },
])('when %j is named, then its name leads to it', (item) => {
  expect(itemAt(itemName(item))).toEqual(item);
});

test('when a name has no namespace, then it leads nowhere', () => {
  expect([itemAt('tone'), itemAt('/tone')]).toEqual([undefined, undefined]);
});
