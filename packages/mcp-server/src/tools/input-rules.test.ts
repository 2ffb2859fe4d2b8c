import fc from 'fast-check';
import { Problem } from '@roadstead/kit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  flagOr,
  object,
  objects,
  readInput,
  requiredDay,
  requiredUuid,
  text,
  texts,
  uuids,
} from './input-rules.ts';

const ID = '0190b6a0-0000-7000-8000-000000000001';
const OTHER = '0190b6a0-0000-7000-8000-000000000002';
const inputs = {
  texts: texts('-'),
  uuids: uuids('-'),
  object: object('-'),
  objects: objects('-'),
  flag: flagOr(true, '-'),
  text: text('-', 2000),
  uuid: requiredUuid('-'),
  day: requiredDay('-'),
};
type Name = keyof typeof inputs;
const read = (name: Name, value: unknown) =>
  (readInput(z.strictObject({ [name]: inputs[name] }), { [name]: value }) as Record<string, unknown>)[name];
const deep = (levels: number): unknown => JSON.parse('{"a":'.repeat(levels) + '1' + '}'.repeat(levels));

test.each<[Name, unknown, unknown]>([
  ['texts', ['a', 'b'], ['a', 'b']],
  ['texts', '["a", "b"]', ['a', 'b']],
  ['texts', ' ["a"]', ['a']],
  ['texts', 'a', ['a']],
  ['texts', 'a, b', ['a, b']],
  ['texts', 7, ['7']],
  ['texts', [7], ['7']],
  ['texts', '', undefined],
  ['texts', null, undefined],
  ['uuids', [ID, OTHER.toUpperCase()], [ID, OTHER]],
  ['uuids', `["${ID}"]`, [ID]],
  ['uuids', ID, [ID]],
  ['object', { a: { b: 1 } }, { a: { b: 1 } }],
  ['object', '{"a":{"b":1}}', { a: { b: 1 } }],
  ['object', {}, {}],
  ['object', '', undefined],
  ['object', null, undefined],
  ['object', 'null', undefined],
  ['objects', [{ a: 1 }], [{ a: 1 }]],
  ['objects', '[{"a":1}]', [{ a: 1 }]],
  ['flag', null, true],
  ['flag', '', true],
  ['flag', 'False', false],
  ['flag', false, false],
  ['text', 'x'.repeat(2000), 'x'.repeat(2000)],
  ['uuid', ID.toUpperCase(), ID],
  ['day', '2026-01-31', '2026-01-31T00:00:00Z'],
  ['day', '2026-01-31T09:00:00+02:00', '2026-01-31T09:00:00+02:00'],
])('when %s is sent as %j, then it is read as %j', (name, sent, value) => {
  expect(read(name, sent)).toEqual(value);
});

test.each<[Name, unknown, RegExp]>([
  ['texts', [], /^texts must not be empty/],
  ['texts', '[]', /^texts must not be empty/],
  ['texts', '["a"', /^texts must be a list of texts/],
  ['texts', { a: 1 }, /^texts must be a list of texts/],
  ['texts', ['a', ''], /^texts\[1\] must not be empty/],
  ['texts', ['a', { b: 1 }], /^texts\[1\] must be a text/],
  ['texts', 'a\0b', /^texts\[0\] must not contain NUL/],
  ['texts', Array.from({ length: 101 }, String), /^texts has more than 100/],
  ['uuids', [ID, 'x'], /^uuids\[1\] must be a uuid/],
  ['uuids', 'x', /^uuids\[0\] must be a uuid/],
  ['object', '{"a":', /^object must be a JSON object/],
  ['object', '[1]', /^object must be a JSON object/],
  ['object', 'a', /^object must be a JSON object/],
  ['object', 7, /^object must be a JSON object/],
  ['object', [{}], /^object must be a JSON object/],
  ['object', { a: ['\ud800'] }, /^object must not contain NUL/],
  ['object', { 'a\0': 1 }, /^object must not contain NUL/],
  ['object', { a: 'x'.repeat(100_000) }, /^object is longer/],
  ['object', deep(200_000), /^object is longer/],
  ['objects', '[{"a":', /^objects must be a list of JSON objects/],
  ['object', '{"__proto__":{"a":1}}', /^object must have no member named __proto__/],
  ['objects', '[{"__proto__":1}]', /^objects must have no member named __proto__/],
  ['objects', [1], /^objects\[0\] must be a JSON object/],
  ['flag', 'maybe', /^flag must be true or false/],
  ['text', 'x'.repeat(2001), /^text is longer than 2000/],
  ['uuid', 'x', /^uuid must be a uuid/],
  ['uuid', '', /^uuid must be a uuid/],
  ['uuid', null, /^uuid is required/],
  ['day', 'soon', /^day must be a day/],
  ['day', '2026-02-30', /^day must be a day/],
  ['day', undefined, /^day is required/],
])('when %s is wrong, then it is refused by name (%#)', (name, sent, message) => {
  expect(said(() => read(name, sent))).toMatch(message);
});

test('when an object is sent as text, then it is read as it is', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), (value) => {
      fc.pre(!Object.hasOwn(value, '__proto__'));
      const json = JSON.stringify(value);
      fc.pre(!json.includes(String.raw`\u0000`));
      expect(read('object', json)).toEqual(JSON.parse(json));
      expect(read('object', value)).toEqual(value);
    }),
  );
});

test('when schemas are published, then they are plain', () => {
  const { properties = {} } = z.toJSONSchema(z.strictObject(inputs), { io: 'input' });
  const types = Object.entries(properties).map(([name, schema]) => [
    name,
    typeof schema === 'object' && schema.type,
  ]);
  expect(Object.fromEntries(types)).toEqual({
    texts: 'array',
    uuids: 'array',
    object: 'object',
    objects: 'array',
    flag: 'boolean',
    text: 'string',
    uuid: 'string',
    day: 'string',
  });
  expect(JSON.stringify(properties)).not.toMatch(/anyOf|oneOf|allOf|\$ref|format/);
});

test.each([
  ['a list of wrong items', { uuids: Array.from({ length: 100_000 }, () => 'x') }],
  [
    'names that are no inputs',
    Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`n${at}`, at])),
  ],
  ['a long name that is no input', { ['x'.repeat(1_000_000)]: 1 }],
])('when a call brings %s, then its refusal stays short', (_what, sent) => {
  expect(
    said(() => readInput(z.strictObject(inputs), { day: '2026-01-31', uuid: ID, ...sent })).length,
  ).toBeLessThan(6000);
});

function said(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof Problem)
      return error.issues.map(({ loc, msg }) => `${loc.join('.')} ${msg}`).join('; ');
    throw error;
  }
  return 'nothing was refused';
}
