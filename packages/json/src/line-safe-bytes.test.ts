import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSafeBytes, lineSafePieces } from './line-safe-bytes.ts';
import { lineSafe } from '@roadstead/kit';

const SIGNS = ['\u2028', '\u2029', '\u0085'];
const unit = fc.constantFrom(...SIGNS, '\u2027', 'â', 'Â', '€', '\u0080', '😀', '\\', '"', 'a');

test('when its bytes come in pieces, then it does not matter where they are cut', () => {
  fc.assert(
    fc.property(fc.string({ unit }), fc.array(fc.nat(40)), (text, cuts) => {
      const bytes = Buffer.from(JSON.stringify(text));
      const ends = [...cuts, bytes.length].toSorted((one, other) => one - other);
      const pieces = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
      expect(Buffer.concat([...lineSafePieces(pieces)]).toString()).toBe(lineSafe(bytes.toString()));
    }),
  );
});

test('when bytes hold none of the signs, then they are not copied', () => {
  const bytes = Buffer.from(JSON.stringify('“nothing” to do'));
  expect([...new LineSafeBytes().next(bytes)][0]?.buffer).toBe(bytes.buffer);
});
