import { gzipSync, zstdCompressSync } from 'node:zlib';
import { uuidv7 } from '@roadstead/kit';
import { useFixture } from '@roadstead/testing';
import { describe, expect, it } from 'vitest';
import {
  ingestions,
  multipartBody,
  multipartInit,
  type Part,
  startFixture,
} from '../testing/observability-fixture.ts';
import { bytesClient, sentRoot, stamp } from '../testing/sent-runs.ts';

/** Runs in parts, at the level of bytes, and the runs that are read back. */

describe.each(ingestions)('when bodies are taken in %s', (_where, where) => {
  const fixture = useFixture(() => startFixture(where));

  const { json, read, readText, statusOf } = bytesClient(() => fixture());

  const post = async (parts: readonly Part[], headers?: Record<string, string>) =>
    fixture().send('/runs/multipart', multipartInit(parts, headers));

  describe('multipart', () => {
    it('when parts are sent, then the answer is 202, and the run is readable at once', async () => {
      const id = uuidv7();
      const response = await post([
        [`post.${id}`, sentRoot(id), 'Content-Type: application/json; length=17'],
        [`post.${id}.inputs`, '{"question":"why?"}', 'Content-Type: application/json\r\nContent-Length: 19'],
        [
          `patch.${id}`,
          JSON.stringify({ id, trace_id: id, dotted_order: stamp + id, end_time: 1_767_608_431_500 }),
        ],
        [`patch.${id}.outputs`, '{"answer":"because"}'],
        [`patch.${id}.events`, `[{"name":"new_token","time":"2026-01-05T10:20:31Z"}]`],
      ]);
      expect(response.status).toBe(202);
      expect(await response.json()).toEqual({ message: 'Stored.' });
      expect(await read(id)).toMatchObject({
        start_time: '2026-01-05T10:20:30.123456',
        end_time: '2026-01-05T10:20:31.500000',
        first_token_time: '2026-01-05T10:20:31.000000',
        inputs: { question: 'why?' },
        outputs: { answer: 'because' },
        status: 'success',
        trace_tier: 'shortlived',
      });
    });

    it('when payloads are inline, then they are taken too', async () => {
      const id = uuidv7();
      expect(
        (await post([[`post.${id}`, sentRoot(id, { inputs: { a: 1 }, error: 'broken', tags: ['x'] })]]))
          .status,
      ).toBe(202);
      expect(await read(id)).toMatchObject({
        inputs: { a: 1 },
        error: 'broken',
        status: 'error',
        tags: ['x'],
      });
    });

    it('when payloads are sent, then their bytes are kept as they were written', async () => {
      const id = uuidv7();
      const inputs = '{ "big": 12345678901234567890, "small": 1.50, "e": 1E400,\n"u": "\\u00fc\\/" }';
      const outputs = `{"nul":"a\\u0000b","half":"\\ud800","long":"${'x'.repeat(5000)}"}`;
      await post([
        [`post.${id}`, sentRoot(id, { name: 'nul\0name' })],
        [`post.${id}.inputs`, inputs],
        [`post.${id}.outputs`, outputs],
        [`post.${id}.extra`, '{"metadata":{"thread_id":"a\\u0000b","n":98765432109876543210}}'],
      ]);
      const text = await readText(id);
      expect(text).toContain(`"inputs":${inputs}`);
      expect(text).toContain(`"outputs":${outputs}`);
      expect(text).toContain('98765432109876543210');
      const listed = await (await json('/runs/query', { id: [id] })).text();
      expect(listed).toContain(`"inputs":${inputs}`);
    });

    it.each([
      ['gzip', (body: Buffer) => gzipSync(body)],
      ['zstd', (body: Buffer) => zstdCompressSync(body)],
      ['identity', (body: Buffer) => body],
    ])('when a body comes as %s, then it is taken', async (encoding, pack) => {
      const id = uuidv7();
      const body = pack(multipartBody([[`post.${id}`, sentRoot(id)]]));
      const headers = {
        'content-type': 'multipart/form-data; boundary="a0b1c2"',
        'content-encoding': encoding,
      };
      const response = await fixture().send('/runs/multipart', {
        method: 'POST',
        body: new Uint8Array(body),
        headers,
      });
      expect(response.status).toBe(202);
      expect(await statusOf(id)).toBe(200);
    });

    it.each([
      ['gzip', (body: Buffer) => gzipSync(body)],
      ['zstd', (body: Buffer) => zstdCompressSync(body)],
    ])('when a body of %s is cut off, then it is refused', async (encoding, pack) => {
      const id = uuidv7();
      const body = pack(multipartBody([[`post.${id}`, sentRoot(id)]])).subarray(0, -12);
      const headers = {
        'content-type': 'multipart/form-data; boundary=a0b1c2',
        'content-encoding': encoding,
      };
      const response = await fixture().send('/runs/multipart', {
        method: 'POST',
        body: new Uint8Array(body),
        headers,
      });
      expect(response.status).toBe(400);
      expect(await response.json()).toHaveProperty('details');
      expect(await statusOf(id)).toBe(404);
    });

    it('when a body unpacks to more than 64 MB or its packing is unknown, then it is refused', async () => {
      const bomb = gzipSync(Buffer.alloc(70_000_000, 32));
      const send = (body: Uint8Array, encoding: string) =>
        fixture().send('/runs/batch', {
          method: 'POST',
          body: new Uint8Array(body),
          headers: { 'content-encoding': encoding },
        });
      expect((await send(bomb, 'gzip')).status).toBe(413);
      expect((await send(bomb, 'constructor')).status).toBe(400);
    });

    it.each<[string, (good: string, bad: string) => Part[], string]>([
      ['JSON that is none', (_, bad) => [[`post.${bad}`, '{"id"']], 'post.'],
      [
        'a payload that is none',
        (_, bad) => [
          [`post.${bad}`, sentRoot(bad)],
          [`post.${bad}.inputs`, '{'],
        ],
        '.inputs',
      ],
      [
        'bytes that are no UTF-8',
        (_, bad) => [[`post.${bad}.outputs`, new Uint8Array([34, 255, 34])]],
        '.outputs',
      ],
      [
        'a trace id that is none',
        (_, bad) => [[`post.${bad}`, sentRoot(bad, { trace_id: 'x' })]],
        '.trace_id',
      ],
      [
        'a time that is none',
        (_, bad) => [[`patch.${bad}`, sentRoot(bad, { end_time: 'soon' })]],
        '.end_time',
      ],
      [
        'a year that Postgres has not',
        (_, bad) => [[`post.${bad}`, sentRoot(bad, { start_time: '0000-01-01T00:00:00Z' })]],
        '.start_time',
      ],
      ['a part of no known name', () => [['hello', '{}']], 'part 3'],
      ['feedback without a key', () => [[`feedback.${uuidv7()}`, '{}']], '.key'],
      ['an empty part', (_, bad) => [[`post.${bad}.inputs`, '']], '.inputs'],
      ['an attachment without a name', (_, bad) => [[`attachment.${bad}`, 'x']], 'part 3'],
    ])(
      'when there is %s, then it is named, and everything else is stored',
      async (_name, bad_parts, named) => {
        const [good, bad] = [uuidv7(), uuidv7()];
        const parts: Part[] = [
          [`post.${good}`, sentRoot(good)],
          [`post.${good}.inputs`, '{"good":1}'],
          ...bad_parts(good, bad),
        ];
        const response = await post(parts);
        expect(response.status).toBe(202);
        const body = (await response.json()) as { message: string; issues: { loc: string[] }[] };
        expect(body.issues.map((issue) => issue.loc.join('.')).join()).toContain(named);
        expect(body.message).toContain(named);
        expect(await read(good)).toMatchObject({ inputs: { good: 1 }, name: 'run' });
      },
    );

    it('when nothing is left to store, then the request is refused, and what is wrong is named', async () => {
      const response = await post([
        ['hello', '{}'],
        [`feedback.${uuidv7()}`, '{}'],
      ]);
      expect(response.status).toBe(422);
      const { details } = (await response.json()) as { details: string };
      expect(details).toContain('part 1');
      expect(details).toContain('.key');
    });

    it('when a payload is no JSON, then it is kept as text, where readers look for it', async () => {
      const id = uuidv7();
      const nan = '{"score": NaN, "best": [-Infinity], "n": 12345678901234567890}';
      const parts: Part[] = [
        [`post.${id}`, sentRoot(id)],
        [`post.${id}.inputs`, nan],
        [`post.${id}.outputs`, new Uint8Array([123, 34, 255, 34, 125])],
        [`post.${id}.events`, '[NaN]'],
        [`post.${id}.error`, 'it broke'],
        [`post.${id}.extra`, '{"metadata":{"thread_id":NaN}}'],
      ];
      const response = await post(parts);
      expect(response.status).toBe(202);
      expect(((await response.json()) as { issues: object[] }).issues).toHaveLength(5);
      expect(await read(id)).toMatchObject({
        inputs: { text: nan },
        outputs: { text: '{"\ufffd"}' },
        events: [{ text: '[NaN]' }],
        error: 'it broke',
        status: 'error',
        extra: { text: '{"metadata":{"thread_id":NaN}}' },
      });
    });

    it('when names of attachments are escaped as in forms, then they are read', async () => {
      const id = uuidv7();
      await post([
        [`post.${id}`, sentRoot(id)],
        [`attachment.${id}.a%22b%0D%0Ac 100%25`, 'x', 'Content-Type: text/plain'],
      ]);
      const row = await fixture().fresh.db.one('select name from traces.attachments where run_id = $1', [id]);
      expect(row).toEqual({ name: 'a"b\r\nc 100%25' });
    });

    it('when a body is cut off or is no multipart, then it is refused', async () => {
      const id = uuidv7();
      const body = new Uint8Array(multipartBody([[`post.${id}`, sentRoot(id)]]).subarray(0, -20));
      const type = (value: string) => ({ method: 'POST', body, headers: { 'content-type': value } });
      expect(
        (await fixture().send('/runs/multipart', type('multipart/form-data; boundary=a0b1c2'))).status,
      ).toBe(422);
      expect((await fixture().send('/runs/multipart', type('application/json'))).status).toBe(400);
    });

    it('when payloads and feedback of one run are nested too deeply, then the others are kept', async () => {
      const [deep, plain, feedback] = [uuidv7(), uuidv7(), uuidv7()];
      const nested = `{"deep":${'['.repeat(600)}${']'.repeat(600)}}`;
      const response = await post([
        [`post.${deep}`, sentRoot(deep)],
        [`post.${deep}.inputs`, nested],
        [`post.${deep}.outputs`, '{"kept":true}'],
        [`post.${plain}`, sentRoot(plain)],
        [
          `feedback.${feedback}`,
          JSON.stringify({ key: 'deep', run_id: plain }).replace('}', `,"value":${nested}}`),
        ],
      ]);
      expect(response.status).toBe(202);
      const answer = await response.text();
      for (const at of [`post.${deep}.inputs`, `feedback.${feedback}.value`]) expect(answer).toContain(at);
      expect(await read(deep)).toMatchObject({
        inputs: { omitted: expect.stringContaining('nested') as string },
        outputs: { kept: true },
      });
      expect(await read(plain)).toMatchObject({ id: plain });
    });

    it('when a payload is larger than 20 MB, then a note stands in its place', async () => {
      const id = uuidv7();
      const huge = JSON.stringify({ text: 'y'.repeat(21_000_000) });
      expect(
        (
          await post([
            [`post.${id}`, sentRoot(id)],
            [`post.${id}.inputs`, huge],
            [`post.${id}.outputs`, '{"ok":1}'],
          ])
        ).status,
      ).toBe(202);
      const run = await read(id);
      expect(run['inputs']).toHaveProperty('omitted');
      expect(run['outputs']).toEqual({ ok: 1 });
    });

    it('when feedback and attachments come, even before their run, then they are stored', async () => {
      const id = uuidv7();
      const feedback = uuidv7();
      const parts: Part[] = [
        [`feedback.${feedback}`, JSON.stringify({ key: 'score', score: 1, run_id: id, trace_id: id })],
        [
          `attachment.${id}.file`,
          new Uint8Array([0, 13, 10, 45, 45, 255]),
          'Content-Type: image/png; length=6',
        ],
      ];
      expect((await post(parts)).status).toBe(202);
      expect((await post(parts)).status).toBe(202);
      const row = await fixture().fresh.db.one<{ digest: string; content_type: string; key: string }>(
        'select a.digest, a.content_type, f.key from traces.attachments a join traces.feedback f using (run_id) where run_id = $1',
        [id],
      );
      const blob = await fixture().blobs.get(row.digest);
      expect([...(await new Response(blob?.stream).bytes())]).toEqual([0, 13, 10, 45, 45, 255]);
      expect(row).toMatchObject({ content_type: 'image/png', key: 'score' });
    });
  });
});
