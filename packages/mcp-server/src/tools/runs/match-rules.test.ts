import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readPath, valueAt } from '../../paging/value-path-rules.ts';
import { matchesIn } from './match-rules.ts';

const run = {
  error: 'Timeout after 30 s',
  inputs: {
    messages: [{ content: 'Where is my parcel?' }, { content: 'The carrier: parcel lost, "sorry"' }],
  },
  outputs: { answer: 'no', 'a.b': 'lost parcel' },
};

test.each([
  ['parcel lost', ['inputs.messages[1].content', 'outputs["a.b"]']],
  ['PARCEL', ['inputs.messages[0].content', 'inputs.messages[1].content']],
  ['time 30', ['error']],
  ['(", ', []],
  ['zebra', []],
])('when %j is looked for, then it is found at %j', (query, paths) => {
  expect(matchesIn(run, { query, most: 2 }).map(({ path }) => path)).toEqual(paths);
});

test('when an excerpt is taken, then it is short, of one line, and never half a pair', () => {
  const around = fc.string({ unit: fc.constantFrom('😀', 'a', '\n', ' '), maxLength: 400 });
  fc.assert(
    fc.property(around, around, (before, after) => {
      const text = `${before}NEEDLE${after}`;
      const [match] = matchesIn({ text }, { query: 'needle', most: 1 });
      expect(match?.text).toContain('NEEDLE');
      expect(match?.text.length).toBeLessThanOrEqual(250);
      expect(match?.text.isWellFormed()).toBe(true);
      expect(match?.text).not.toContain('\n');
      expect(valueAt({ text }, readPath(match?.path ?? '') ?? [])).toEqual({ found: true, value: text });
    }),
  );
});
