import { expect, test } from 'vitest';
import { OnceLines } from './once-lines.ts';

test('when lines have a name, then the first of each passes; those without one all do', () => {
  const lines = new OnceLines();
  const names = ['a', 'b', 'a', undefined, undefined, 'b'];
  expect(names.map((name) => lines.passes(name))).toEqual([true, true, false, true, true, false]);
});

test('when a host tells names without end, then not all are kept, and no line is lost', () => {
  const lines = new OnceLines();
  for (let at = 0; at < 5000; at += 1) expect(lines.passes(`n${at}`)).toBe(true);
  expect(lines.passes('n0')).toBe(false);
  expect(lines.passes('n4999')).toBe(true);
  const long = 'x'.repeat(2000);
  expect([lines.passes(long), lines.passes(long)]).toEqual([true, true]);
});
