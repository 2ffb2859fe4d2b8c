import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { guardedLines, MAX_LINE_BYTES } from './stdio-lines.ts';

const long = 'x'.repeat(MAX_LINE_BYTES);
const message = (id: unknown, argument = '') =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'a', argument } });

async function through(chunks: readonly string[]) {
  const output = new PassThrough();
  const told = text(output);
  const read = await text(guardedLines(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), output));
  output.end();
  return {
    read,
    told: (await told)
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown),
  };
}

test.each([1, 7, 100_000])('when lines come in pieces of %i, then they come out whole', async (size) => {
  const whole = `${message(1)}\r\n${message('ü')}\n\nend`;
  const pieces = whole.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
  expect(await through(pieces)).toEqual({ read: whole, told: [] });
});

test('when a cursor is no text, then the line is answered by its field and not read', async () => {
  const line = (params: object) => JSON.stringify({ jsonrpc: '2.0', id: 4, method: 'tools/list', params });
  const { read, told } = await through([`${line({ cursor: 5 })}\n${line({ cursor: null })}\n`]);
  expect(read).toBe(`${line({})}\n`);
  expect(told).toEqual([
    { jsonrpc: '2.0', id: 4, error: { code: -32_602, message: 'params.cursor must be a text.' } },
  ]);
});

test('when arguments are null, then they are left out, and nothing else that looks like them', async () => {
  const call = (params: object) =>
    `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`;
  const inner = call({ name: 'a', arguments: { arguments: null, text: '"arguments":null' } });
  const broken = '{"arguments":null\n';
  const { read } = await through([call({ name: 'a', arguments: null }), inner, broken]);
  expect(read).toBe(call({ name: 'a' }) + inner + broken);
});

const invalid = { code: -32_600, message: expect.stringMatching(/no longer than/) as string };

test.each([
  ['before its content', message(7, long), 7],
  ['behind its content', JSON.stringify({ params: { argument: long }, jsonrpc: '2.0', id: 'a-b' }), 'a-b'],
  ['nowhere', `{"params":{"id":3,"a":"${long}"}}`, null],
])(
  'when a line is too long, then it is answered, its id being %s, and later ones are read',
  async (_where, line, id) => {
    const cut = Math.floor(line.length / 3);
    const { read, told } = await through([
      `${message(1)}\n${line.slice(0, cut)}`,
      line.slice(cut),
      `\n${message(2)}\n`,
    ]);
    expect(read).toBe(`${message(1)}\n${message(2)}\n`);
    expect(told).toEqual([{ jsonrpc: '2.0', id, error: invalid }]);
  },
);
