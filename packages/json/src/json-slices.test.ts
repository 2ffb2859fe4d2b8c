import { assert, asyncProperty, jsonValue, string } from 'fast-check';
import { TimeSlice } from '@roadstead/kit';
import { expect, it } from 'vitest';
import { elementsOf, membersOf } from './json-slices.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (slice: Uint8Array | undefined) => new TextDecoder().decode(slice);

it.each<[string, Record<string, string>]>([
  ['{}', {}],
  [' { } ', {}],
  ['{"a":1}', { a: '1' }],
  ['{"a" : 12345678901234567890 , "b":-1.50E+3}', { a: '12345678901234567890', b: '-1.50E+3' }],
  [String.raw`{"q\"}":"x\\","b":"\\\""}`, { 'q"}': String.raw`"x\\"`, b: String.raw`"\\\""` }],
  ['{"a":{"b":["]}",{"c":null}]},"d":[1, 2]}', { a: '{"b":["]}",{"c":null}]}', d: '[1, 2]' }],
  ['{"a":1,"a":2}', { a: '2' }],
  ['{"ü":"ü\\u0000"}', { ü: '"ü\\u0000"' }],
  ['{"t":true,"n":null\n,"f":false\t}', { t: 'true', n: 'null', f: 'false' }],
])('when the object is %s, then its members are found', async (json, expected) => {
  const members = await membersOf(bytes(json), new TimeSlice());
  const found = [...(members ?? [])].map(([name, slice]) => [name, text(slice)]);
  expect(Object.fromEntries(found)).toEqual(expected);
});

it.each<[string, string[]]>([
  ['[]', []],
  ['[ ]', []],
  ['[1,"a,]",[2],{"b":3} , null]', ['1', '"a,]"', '[2]', '{"b":3}', 'null']],
])('when the list is %s, then its elements are found', async (json, expected) => {
  expect((await elementsOf(bytes(json), new TimeSlice()))?.map(text)).toEqual(expected);
});

it.each([
  '',
  '[]',
  '{',
  '{"a"',
  '{"a":',
  '{"a":1',
  '{"a":}',
  '{"a" 1}',
  '{"a":1 2}',
  '{a:1}',
  '{"a":1}x',
  '{"a":{}',
  '{"a":"x}',
  'null',
])('when the text is %s, then no members are found', async (json) => {
  expect(await membersOf(bytes(json), new TimeSlice())).toBeUndefined();
});

it.each(['', '{}', '[', '[1', '[1 2]', '[,]', '[1]]'])(
  'when the text is %s, then no elements are found',
  async (json) => {
    expect(await elementsOf(bytes(json), new TimeSlice())).toBeUndefined();
  },
);

it('when values are no JSON, then they are found, and hide none beside them', async () => {
  const members = await membersOf(bytes('{"a":NaN,"b":[1,-Infinity],"c":{"d":tru},"e":1}'), new TimeSlice());
  expect([...(members ?? [])].map(([name, slice]) => [name, text(slice)])).toEqual([
    ['a', 'NaN'],
    ['b', '[1,-Infinity]'],
    ['c', '{"d":tru}'],
    ['e', '1'],
  ]);
});

it('when any object is read, then what JSON.parse finds is found', async () => {
  const slice = new TimeSlice();
  await assert(
    asyncProperty(string(), jsonValue(), jsonValue(), async (name, one, other) => {
      const value = { [name]: one, other: [one, other], nested: { [name]: other } };
      for (const indent of [0, 2]) {
        const json = JSON.stringify(value, null, indent);
        const members = await membersOf(bytes(json), slice);
        const found = [...(members ?? [])].map(([key, part]) => [key, JSON.parse(text(part))]);
        expect(Object.fromEntries(found)).toEqual(JSON.parse(json));
        const list = bytes(JSON.stringify([one, other], null, indent));
        const elements = await elementsOf(list, slice);
        expect(elements?.map((part) => JSON.parse(text(part)))).toEqual(JSON.parse(text(list)));
      }
    }),
  );
});
