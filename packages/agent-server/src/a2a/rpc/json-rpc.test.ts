import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonText } from '../../json/json-text.ts';
import { errorText, resultText } from './json-rpc.ts';

const textOf = (text: JsonText) => (typeof text === 'string' ? text : Buffer.concat(text).toString());

/** As strict parsers read it: every escape is a whole character, as UTF-8 would have it. */
const isStrict = (text: string) =>
  text.isWellFormed() && JSON.stringify(JSON.parse(text)).search(/(?<!\\)(?:\\\\)*\\ud[89a-f]/) < 0;

test.each([
  ['half a pair', 'a\ud800b', 'a\ufffdb'],
  ['the other half', '\udfff', '\ufffd'],
  ['a pair', '😀', '😀'],
  ['an escape that is only spelled out', '\\ud800', '\\ud800'],
])('when %s stands in a text, then it leaves as what every parser takes', async (_title, said, read) => {
  const result = { parts: [{ text: said }], [said]: [{ data: said }] };
  const texts = [
    textOf(await resultText('"r"', result)),
    errorText('"r"', { code: -1, message: said, data: said }),
  ];
  expect(texts.map(isStrict)).toEqual([true, true]);
  expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual([
    { jsonrpc: '2.0', id: 'r', result: { parts: [{ text: read }], [read]: [{ data: read }] } },
    { jsonrpc: '2.0', id: 'r', error: { code: -1, message: read, data: read } },
  ]);
});

test('when an agent returns any text, then the answer is strict JSON', async () => {
  const unit = fc.constantFrom('\ud83d', '\ude00', '\\', 'u', 'd', '8', '0', 'a', '"', '\n');
  await fc.assert(
    fc.asyncProperty(fc.string({ unit }), async (said) => {
      const text = textOf(await resultText('null', { said }));
      expect(isStrict(text)).toBe(true);
      expect(JSON.parse(text)).toMatchObject({ result: { said: said.toWellFormed() } });
    }),
  );
});
