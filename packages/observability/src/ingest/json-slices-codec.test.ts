import { assert, jsonValue, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import { elementsOf, membersOf } from './json-slices-codec.ts';

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
])('finds the members of %s', (json, expected) => {
  const found = [...membersOf(bytes(json))].map(([name, slice]) => [name, text(slice)]);
  expect(Object.fromEntries(found)).toEqual(expected);
});

it.each<[string, string[]]>([
  ['[]', []],
  ['[ ]', []],
  ['[1,"a,]",[2],{"b":3} , null]', ['1', '"a,]"', '[2]', '{"b":3}', 'null']],
])('finds the elements of %s', (json, expected) => {
  expect(elementsOf(bytes(json)).map(text)).toEqual(expected);
});

it('finds in any object what JSON.parse finds', () => {
  assert(
    property(string(), jsonValue(), jsonValue(), (name, one, other) => {
      const value = { [name]: one, other: [one, other], nested: { [name]: other } };
      for (const indent of [0, 2]) {
        const json = JSON.stringify(value, null, indent);
        const found = [...membersOf(bytes(json))].map(([key, slice]) => [key, JSON.parse(text(slice))]);
        expect(Object.fromEntries(found)).toEqual(JSON.parse(json));
        const list = bytes(JSON.stringify([one, other], null, indent));
        expect(elementsOf(list).map((slice) => JSON.parse(text(slice)))).toEqual(JSON.parse(text(list)));
      }
    }),
  );
});
