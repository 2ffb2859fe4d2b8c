import { expect, test } from 'vitest';
import { openapiOf } from '../../packages/contracts/src/index.ts';
import { services } from '../../packages/contracts/src/services/index.ts';
import { writeJsonLines } from './json-lines.ts';

const table = {
  'a member of the last level shares one line': [
    { a: { b: { c: 1, d: [2] } } },
    1,
    '{\n"a": {"b":{"c":1,"d":[2]}}\n}',
  ],
  'members of two levels have lines of their own': [
    { a: { b: { c: 1 } }, d: 2 },
    2,
    '{\n"a": {\n"b": {"c":1}\n},\n"d": 2\n}',
  ],
  'an array stays on its line': [{ a: [{ b: 1 }] }, 3, '{\n"a": [{"b":1}]\n}'],
  'what is undefined is left out': [{ a: undefined, b: {} }, 2, '{\n"b": {}\n}'],
  'a text with a line break stays on its line': [{ a: 'x\ny' }, 1, '{\n"a": "x\\ny"\n}'],
} as const satisfies Record<string, readonly [unknown, number, string]>;

test.each(Object.entries(table))('when JSON is written by lines, then %s', (_, [value, levels, expected]) => {
  expect(writeJsonLines(value, levels)).toBe(expected);
});

test('when an OpenAPI document is written, then each operation and each schema has one line', () => {
  let operations = 0;
  for (const [name, contract] of Object.entries(services)) {
    const document = openapiOf(name, contract);
    const text = writeJsonLines(document, 3);
    const written = JSON.parse(text) as {
      paths: Record<string, object>;
      components: { schemas: Record<string, object> };
    };
    expect(written).toEqual(JSON.parse(JSON.stringify(document)));
    const lines = text.split('\n');
    const methods = Object.values(written.paths).flatMap((path) => Object.keys(path));
    expect(lines.filter((line) => line.includes('"operationId":'))).toHaveLength(methods.length);
    for (const schema of Object.keys(written.components.schemas))
      expect(lines.some((line) => line.startsWith(`${JSON.stringify(schema)}: {`))).toBe(true);
    operations += methods.length;
  }
  expect(operations).toBeGreaterThan(500);
});
