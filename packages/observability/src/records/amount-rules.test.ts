import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addedCosts, addedDetails, decimal, detailsChange } from './amount-rules.ts';

it.each([
  [123_456.1, '123456.1'],
  [0.1 + 0.2, '0.3'],
  [1e-7, '0.0000001'],
  [1e-13, '0'],
  [-2.5, '-2.5'],
  [1e14, '100000000000000'],
])('when the amount is %d, then it is written as %s', (value, text) => {
  expect(decimal(value)).toBe(text);
});

it('when large amounts are added to small ones, then the sum is exact', () => {
  expect(addedCosts('12345.1', '0.2')).toBe('12345.3');
  expect(addedCosts(undefined, '0.2')).toBe('0.2');
  expect(addedDetails({ a: 12_345.1 }, { a: 0.2, b: 1 })).toEqual({ a: 12_345.3, b: 1 });
  expect(detailsChange({ a: 12_345.1, b: 1 }, { a: 12_345.3, b: 1, c: 0 })).toEqual({ a: 0.2, c: 0 });
  expect(detailsChange({ a: 1 }, { a: 1 })).toBeUndefined();
});

it.each(['constructor', 'toString', '__proto__'])(
  'when an amount has the name %s, then it is added like any other',
  (name) => {
    const details = (amount: number) => Object.fromEntries([[name, amount]]);
    expect(addedDetails({}, details(2))).toEqual(details(2));
    expect(addedDetails(details(1), details(2))).toEqual(details(3));
    expect(detailsChange(undefined, details(0))).toEqual(details(0));
    expect(detailsChange({}, details(2))).toEqual(details(2));
  },
);

it('when a change is added, then what it says is there', () => {
  const details = fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.nat(1_000_000_000).map((millionths) => millionths / 1_000_000),
  );
  fc.assert(
    fc.property(details, details, (was, is) => {
      const after = addedDetails(was, detailsChange(was, is));
      const kept = Object.entries(after ?? {}).filter(([name, amount]) => amount !== 0 || name in is);
      expect(Object.fromEntries(kept)).toEqual(is);
    }),
  );
});
