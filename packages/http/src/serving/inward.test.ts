import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inwardHeaders, inwardOf } from './inward.ts';
import { Problem } from '@roadstead/kit';

const asked = (headers: Record<string, string>) => inwardOf(new Request('http://here/', { headers }));

test('when a refusal travels by header, then it arrives as it is, in any words', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('unauthenticated', 'forbidden', 'unavailable'),
      fc.string({ unit: 'grapheme' }),
      fc.option(fc.integer({ min: 0 }), { nil: undefined }),
      (kind, message, retry_after_s) => {
        const more = retry_after_s === undefined ? {} : { retry_after_s };
        const refused = new Problem(kind, message, { hint: 'hint', code: 'code', ...more });
        expect(asked(inwardHeaders({ refused })).refused).toMatchObject({
          kind,
          message,
          hint: 'hint',
          code: 'code',
          retry_after_s,
        });
      },
    ),
  );
});

test('when an assertion travels by header, then it arrives; without one, none does', () => {
  expect(asked(inwardHeaders({ assertion: 'a.b.c' }))).toEqual({ assertion: 'a.b.c' });
  expect(asked(inwardHeaders({}))).toEqual({});
});

test.each(['', 'nonsense', Buffer.from('{"kind":"internal"}').toString('base64url')])(
  'when a refusal is broken, then it still refuses: %j',
  (text) => {
    expect(asked({ 'x-roadstead-refusal': text }).refused?.kind).toBe('unauthenticated');
  },
);
