import { expect, test } from 'vitest';
import { placeOfFault } from './json-fault-rules.ts';

function placeIn(json: Uint8Array): string {
  const search = placeOfFault(json);
  let step = search.next();
  while (step.done !== true) step = search.next();
  return step.value;
}

test.each([
  ['{"inputs":{"q":,}}', 16],
  ['{"q":1,}', 8],
  ['{"q" 1}', 6],
  ['{q:1}', 2],
  ['{"q":01}', 7],
  ['{"q":truth}', 9],
  ['{"q":1.}', 8],
  [String.raw`{"q":"\x"}`, 8],
  [String.raw`{"q":"\u1g"}`, 10],
  ['{"q":"tab\t"}', 10],
  ['{"q":1}}', 8],
  ['{"ü":"😀",}', 11],
  // The missing part would come after the end.
  ['{"q":"open', 11],
  ['{"q":[1,2', 10],
  ['{"q":-', 7],
  ['{"q":nul', 9],
])('when the text is %s, then it is no JSON from column %i', (text, column) => {
  expect(placeIn(Buffer.from(text))).toBe(`column ${column}`);
});

test('when bytes are no UTF-8, then the fault is where they stand', () => {
  const json = Buffer.concat([Buffer.from('{"ü":"'), Buffer.from([0xff]), Buffer.from('"}')]);
  expect(placeIn(json)).toBe('column 7');
});

test('when a fault is more than a megabyte away, then its place is not looked for', () => {
  expect(placeIn(Buffer.from(`{"q":"${'x'.repeat(1_100_000)}",}`))).toBe('column 1048577 or beyond');
  expect(placeIn(Buffer.from(`{"q":,"p":"${'x'.repeat(1_100_000)}"}`))).toBe('column 6');
});
