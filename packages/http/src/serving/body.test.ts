import { constants, deflateSync, brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { endpoint } from '@roadstead/contracts';
import { readBytes, readJson } from './body.ts';
import { HeldBodies, silentLog } from '@roadstead/kit';
import { serve } from './serve.ts';
import { longestHold } from '@roadstead/testing';

const post = (body: string | Uint8Array | ReadableStream, headers: Record<string, string> = {}) =>
  new Request('http://test/', { method: 'POST', body, headers, duplex: 'half' });
const packers = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};

describe('a packed body', () => {
  test.each(Object.entries(packers))(
    'when it is packed as %s, then it is unpacked',
    async (encoding, pack) => {
      expect(await readJson(post(pack('{"a":1}'), { 'content-encoding': encoding }))).toEqual({ a: 1 });
      const cut = pack('x'.repeat(1000)).subarray(0, -4);
      await expect(readJson(post(cut, { 'content-encoding': encoding }))).rejects.toMatchObject({
        kind: 'invalid',
      });
    },
  );

  test.each(Object.entries(packers))(
    'when it is packed as %s and unpacks to too much, then it is refused',
    async (encoding, pack) => {
      const options = encoding === 'br' ? { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } } : {};
      const bomb = pack(Buffer.alloc(100_000_000, '['), options);
      expect(bomb.length).toBeLessThan(200_000);
      const held_ms = await longestHold(async () => {
        await expect(readJson(post(bomb, { 'content-encoding': encoding }))).rejects.toMatchObject({
          kind: 'too_large',
        });
      });
      expect(held_ms).toBeLessThan(100);
    },
  );

  test('when it is packed in a way that we do not know, then it is refused', async () => {
    await expect(readJson(post('x', { 'content-encoding': 'compress' }))).rejects.toMatchObject({
      kind: 'invalid',
    });
  });
});

test('when a body exceeds its limit, then it is refused, with or without a declared length', async () => {
  const said = post('12345', { 'content-length': '5' });
  const unsaid = post(new Blob(['123', '45']).stream());
  for (const request of [said, unsaid])
    await expect(readBytes(request, { max_bytes: 4 })).rejects.toMatchObject({ kind: 'too_large' });
});

describe('a budget', () => {
  test('when an owner holds several bodies, then they share one budget; a single one gets through', () => {
    const budget = new HeldBodies(100);
    const first = budget.open('a');
    first.take(150);
    const second = budget.open('a');
    expect(() => second.take(1)).toThrow(expect.objectContaining({ kind: 'limit', retry_after_s: 1 }));
    using other = budget.open('b');
    other.take(100);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    second.take(60);
    using third = budget.open('a');
    third.take(40);
    expect(() => third.take(1)).toThrow(expect.objectContaining({ kind: 'limit' }));
    second[Symbol.dispose]();
    third.take(60);
  });

  test('when a body comes in, then the budget is taken meanwhile', async () => {
    const budget = new HeldBodies(10);
    using before = budget.open('a');
    before.take(8);
    using held = budget.open('a');
    await expect(readBytes(post(new Blob(['123']).stream()), { max_bytes: 50, held })).rejects.toMatchObject({
      kind: 'limit',
    });
  });
});

describe('serve', () => {
  const contract = {
    addThings: endpoint({
      method: 'POST',
      path: '/things',
      summary: 'Adds',
      auth: 'public',
      body: z.object({
        things: z.array(z.union([z.object({ name: z.string() }), z.object({ id: z.number() })])),
      }),
      success: { status: 204 },
    }),
  };
  const served = serve(
    contract,
    { addThings: async () => undefined },
    { service: 'test', verify: () => undefined, log: silentLog },
  );
  const send = async (body: string) => {
    const answer = await served.fetch(new Request('http://test/things', { method: 'POST', body }));
    return { status: answer.status, text: await answer.text() };
  };

  test('when a body has too many values or faults, then it is refused, and few faults are named', async () => {
    const things = (count: number) => `{"things":[${Array.from({ length: count }, () => '[]').join()}]}`;
    const held_ms = await longestHold(async () => {
      const many = await send(things(9000));
      expect([many.status, (JSON.parse(many.text) as { detail: [] }).detail.length]).toEqual([422, 100]);
    });
    expect(held_ms).toBeLessThan(100);
    expect(await send(things(10_000))).toMatchObject({ status: 413 });
    expect(await send('['.repeat(600) + ']'.repeat(600))).toMatchObject({ status: 413 });
    expect(await send('')).toMatchObject({
      status: 422,
      text: expect.stringContaining('a JSON body is required'),
    });
    expect(await send('{"things":[{"name":"a"},{"id":1}]}')).toMatchObject({ status: 204 });
  });
});
