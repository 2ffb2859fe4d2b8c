import fc from 'fast-check';
import { TimeSlice } from '@roadstead/kit';
import { describe, expect, it } from 'vitest';
import { ExtraFolding, mergedExtra, withOwnMetadata } from './extra-rules.ts';

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
  ])('when the server adds to metadata %s, then nothing else is changed', (_name, expected, extra) => {
    expect(read(extra)).toBe(expected);
  });

  it('when the server adds to the metadata of any extra, then it changes nothing else', () => {
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

describe('what several calls say', () => {
  const merged = async (parts: readonly unknown[]): Promise<unknown> => {
    const written = parts.map((part) => Buffer.from(JSON.stringify(part)));
    return JSON.parse(Buffer.from(await mergedExtra(written, new TimeSlice())).toString()) as unknown;
  };
  const long = 'x'.repeat(70_000);
  const record = (time: string, text: string) => ({ name: 'gen_ai.choice', time, kwargs: { text } });

  it.each([
    ['small', { a: 1, metadata: { b: 1, c: 1 } }, { metadata: { c: 2 } }, { a: 1, metadata: { b: 1, c: 2 } }],
    [
      'large',
      { a: long, metadata: { b: long, c: 1 } },
      { metadata: { c: 2, d: long } },
      { a: long, metadata: { b: long, c: 2, d: long } },
    ],
    ['nothing', { a: 1 }, {}, { a: 1 }],
    ['null', { metadata: { a: 1 }, b: 1 }, { metadata: null, b: null }, { metadata: { a: 1 }, b: 1 }],
    ['something else', { metadata: { a: 1 } }, { metadata: [2] }, { metadata: [2] }],
    ['no object', { a: 1 }, 'text', 'text'],
    [
      'records of logs, among them one that came before',
      { metadata: { 'otel.logs': [record('2026-01-05T10:20:32Z', 'b')] } },
      {
        metadata: { 'otel.logs': [record('2026-01-05T10:20:31Z', 'a'), record('2026-01-05T10:20:32Z', 'b')] },
      },
      {
        metadata: { 'otel.logs': [record('2026-01-05T10:20:31Z', 'a'), record('2026-01-05T10:20:32Z', 'b')] },
      },
    ],
  ])('when a later one says %s, then it is merged over the earlier one', async (_what, base, next, all) => {
    expect(await merged([base, next])).toEqual(all);
  });

  it.each(['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'])(
    'when two calls say %s at each level, then the later one counts',
    async (name) => {
      const says = (value: string): unknown => {
        const inner = `"${name}":"${value}"`;
        return JSON.parse(`{${inner},"metadata":{${inner}},"runtime":{${inner}}}`);
      };
      expect(JSON.stringify(await merged([says('first'), says('second')]))).toBe(
        JSON.stringify(says('second')),
      );
    },
  );

  it('when many parts are folded, then the result is that of all at once', async () => {
    const slice = new TimeSlice();
    const parts = Array.from({ length: 3000 }, (_, at) =>
      Buffer.from(JSON.stringify({ a: at, metadata: { [`n${at % 700}`]: 'x'.repeat(at % 300) } })),
    );
    const folding = new ExtraFolding(slice);
    for (const part of parts) await folding.add(part);
    const folded = await folding.merged();
    const all = await mergedExtra(parts.toReversed(), slice);
    const read = (json: Uint8Array) => JSON.parse(Buffer.from(json).toString()) as unknown;
    expect(folded.isWhole).toBe(true);
    expect(read(folded.json)).toEqual(read(all));
  });

  it('when parts do not fit into one field together, then those before stay', async () => {
    const folding = new ExtraFolding(new TimeSlice());
    for (const name of ['a', 'b', 'c'])
      await folding.add(Buffer.from(JSON.stringify({ [name]: name.repeat(12_000_000) })));
    const { json, isWhole } = await folding.merged();
    expect([json.length, isWhole]).toEqual([12_000_008, false]);
  });

  it('when parts of any size come in any groups, then they say the same', async () => {
    const value = fc.constantFrom<unknown>(1, null, long, { d: 1 }, {}, [1]);
    const records = fc.array(fc.constantFrom(record('1', 'a'), record('2', long), record('2', 'c')), {
      maxLength: 3,
    });
    const inner = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value, { maxKeys: 3 });
    const metadata = fc.record({ a: value, 'otel.logs': records }, { requiredKeys: [] });
    const part = fc.record({ metadata, runtime: inner, c: value }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), fc.nat(5), async (parts, cut) => {
        const at = Math.min(cut, parts.length - 1);
        const first = at === 0 ? [] : [await merged(parts.slice(0, at))];
        const rest = await merged(parts.slice(at));
        expect(await merged([...first, rest])).toEqual(await merged(parts));
      }),
      { numRuns: 300 },
    );
  });
});
