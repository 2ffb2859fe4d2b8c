import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addDecimals, negated } from './decimal-rules.ts';

it('when decimals are added, then the sum is exact', () => {
  const decimal = fc
    .tuple(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.nat(18))
    .map(([digits, scale]) => {
      const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
      const at = text.length - scale;
      return `${digits < 0n ? '-' : ''}${text.slice(0, at)}${scale === 0 ? '' : `.${text.slice(at)}`}`;
    });
  fc.assert(
    fc.property(decimal, decimal, (a, b) => {
      const back = addDecimals(addDecimals(a, b), negated(b));
      expect(addDecimals(back, negated(a))).toMatch(/^0(\.0+)?$/);
    }),
  );
  expect(addDecimals('0.1', '0.02')).toBe('0.12');
  expect(addDecimals('-1.5', '0.25')).toBe('-1.25');
  expect(negated('0.30')).toBe('-0.30');
});
