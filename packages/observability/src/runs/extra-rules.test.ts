import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withOwnMetadata } from './extra-rules.ts';

const own = { ls_run_depth: 2 };
const read = (extra: string) => withOwnMetadata(Buffer.from(extra), own).toString();

describe('what the server adds to metadata', () => {
  it.each([
    ['', '{"metadata":{"ls_run_depth":2}}', '{}'],
    ['beside others', '{"metadata":{"ls_run_depth":2,"a":1.0}}', '{"metadata":{"a":1.0}}'],
    ['which say it already', '{"metadata":{"ls_run_depth":7}}', '{"metadata":{"ls_run_depth":7}}'],
    ['where it is null', '{"metadata":{"ls_run_depth":2}}', '{"metadata":null}'],
    [
      'where an inner object has the name, too',
      '{"b":{"metadata":{"c":1}},"metadata":{"a":1,"ls_run_depth":2}}',
      '{"b":{"metadata":{"c":1}},"metadata":{"a":1}}',
    ],
    [
      'where only an inner object has the name',
      '{"b":{"metadata":{"c":1}},"metadata":{"ls_run_depth":2}}',
      '{"b":{"metadata":{"c":1}}}',
    ],
    [
      'where an escape hides the name',
      String.raw`{"b":{"metadata":{"c":1}},"metadata":{"a":1,"ls_run_depth":2}}`,
      String.raw`{"b":{"metadata":{"c":1}},"meta\u0064ata":{"a":1}}`,
    ],
    [
      'where large numbers stand',
      '{"metadata":{"ls_run_depth":2,"n":12345678901234567890}}',
      '{"metadata":{"n":12345678901234567890}}',
    ],
  ])('%s', (_name, expected, extra) => {
    expect(read(extra)).toBe(expected);
  });

  it('changes nothing else', () => {
    const name = fc.constantFrom('metadata', 'ls_run_depth', 'a', '"metadata":{"', '\\u0064');
    const { object } = fc.letrec<{ object: unknown; value: unknown }>((tie) => ({
      object: fc.dictionary(name, tie('value'), { maxKeys: 4 }),
      value: fc.oneof({ maxDepth: 3 }, fc.integer(), name, tie('object')),
    }));
    fc.assert(
      fc.property(object, (extra) => {
        const { metadata, ...rest } = extra as Record<string, unknown>;
        const is_object = typeof metadata === 'object' || metadata === undefined;
        const expected = is_object ? { ...rest, metadata: { ...own, ...metadata } } : extra;
        expect(JSON.parse(read(JSON.stringify(extra)))).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });
});
