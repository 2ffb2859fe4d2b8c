import { randomBytes } from 'node:crypto';
import { zstdDecompressSync } from 'node:zlib';
import { HumanMessage } from '@langchain/core/messages';
import { MemorySaver } from '@langchain/langgraph-checkpoint';
import { expect, test } from 'vitest';
import { packedSerde } from './packed-serde.ts';

const stock = new MemorySaver().serde;
const packed = packedSerde(stock);
const long = (count: number) => Array.from({ length: count }, (_, at) => new HumanMessage(`message ${at}`));

test.each([
  ['a small value', 'hello', 'json'],
  ['a long list of messages', long(100), 'json+zstd'],
  ['a large text', 'x'.repeat(100_000), 'json+zstd'],
  ['large bytes', new Uint8Array(10_000).fill(7), 'bytes+zstd'],
  ['large bytes of which nothing can be saved', new Uint8Array(randomBytes(10_000)), 'bytes'],
])('%s comes back as it was', async (_what, value, as) => {
  const [type, bytes] = await packed.dumpsTyped(value);
  expect(type).toBe(as);
  expect(await packed.loadsTyped(type, bytes)).toEqual(value);
});

test('what is packed is what the stock serializer writes, at a fraction of its size', async () => {
  const [[, written], [, bytes]] = await Promise.all([
    stock.dumpsTyped(long(100)),
    packed.dumpsTyped(long(100)),
  ]);
  expect(zstdDecompressSync(bytes).equals(written)).toBe(true);
  expect(bytes.length).toBeLessThan(written.length / 5);
});

test('values from before are read', async () => {
  const [type, bytes] = await stock.dumpsTyped(long(100));
  expect(await packed.loadsTyped(type, bytes)).toEqual(long(100));
});

test('what was cut short is an error, and no other value', async () => {
  const [type, bytes] = await packed.dumpsTyped(long(100));
  const cut = Promise.resolve().then(() => packed.loadsTyped(type, bytes.subarray(0, -1)));
  await expect(cut).rejects.toThrow();
});
