import { gzipSync, zstdCompressSync } from 'node:zlib';
import { type Database, uuidv7 } from '@roadstead/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Fixture,
  multipartBody,
  multipartInit,
  OTHER_WORKSPACE,
  type Part,
  startFixture,
} from '../testing/observability-fixture.ts';

/** Ingestion at the level of bytes, and what is read back of it. */

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(async () => fixture[Symbol.asyncDispose]());

const START = '2026-01-05T10:20:30.123456Z';
const stamp = '20260105T102030123456Z';
const main = (run_id: string, more: object = {}) =>
  JSON.stringify({
    id: run_id,
    trace_id: run_id,
    dotted_order: `${stamp}${run_id}`,
    name: 'run',
    run_type: 'chain',
    start_time: START,
    session_name: 'bytes',
    ...more,
  });

const post = async (parts: readonly Part[], headers?: Record<string, string>) =>
  fixture.send('/runs/multipart', multipartInit(parts, headers));
const json = async (path: string, body: string | object, method = 'POST') =>
  fixture.send(path, {
    method,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
async function read(run_id: string): Promise<Record<string, unknown>> {
  const response = await fixture.send(`/runs/${run_id}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
}
const readText = async (run_id: string) => (await fixture.send(`/runs/${run_id}`)).text();
const statusOf = async (run_id: string) => (await fixture.send(`/runs/${run_id}`)).status;

describe('multipart', () => {
  it('answers 202 and is readable at once', async () => {
    const id = uuidv7();
    const response = await post([
      [`post.${id}`, main(id), 'Content-Type: application/json; length=17'],
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

  it('takes payloads inline too', async () => {
    const id = uuidv7();
    expect(
      (await post([[`post.${id}`, main(id, { inputs: { a: 1 }, error: 'broken', tags: ['x'] })]])).status,
    ).toBe(202);
    expect(await read(id)).toMatchObject({ inputs: { a: 1 }, error: 'broken', status: 'error', tags: ['x'] });
  });

  it('keeps payload bytes as they were written', async () => {
    const id = uuidv7();
    const inputs = '{ "big": 12345678901234567890, "small": 1.50, "e": 1E400,\n"u": "\\u00fc\\/" }';
    const outputs = `{"nul":"a\\u0000b","half":"\\ud800","long":"${'x'.repeat(5000)}"}`;
    await post([
      [`post.${id}`, main(id, { name: 'nul\0name' })],
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
  ])('takes %s', async (encoding, pack) => {
    const id = uuidv7();
    const body = pack(multipartBody([[`post.${id}`, main(id)]]));
    const headers = {
      'content-type': 'multipart/form-data; boundary="a0b1c2"',
      'content-encoding': encoding,
    };
    const response = await fixture.send('/runs/multipart', {
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
  ])('refuses %s that is cut off', async (encoding, pack) => {
    const id = uuidv7();
    const body = pack(multipartBody([[`post.${id}`, main(id)]])).subarray(0, -12);
    const headers = { 'content-type': 'multipart/form-data; boundary=a0b1c2', 'content-encoding': encoding };
    const response = await fixture.send('/runs/multipart', {
      method: 'POST',
      body: new Uint8Array(body),
      headers,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toHaveProperty('details');
    expect(await statusOf(id)).toBe(404);
  });

  it('refuses what unpacks to more than 64 MB, and an unknown packing', async () => {
    const bomb = gzipSync(Buffer.alloc(70_000_000, 32));
    const send = (body: Uint8Array, encoding: string) =>
      fixture.send('/runs/batch', {
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
        [`post.${bad}`, main(bad)],
        [`post.${bad}.inputs`, '{'],
      ],
      '.inputs',
    ],
    [
      'bytes that are no UTF-8',
      (_, bad) => [[`post.${bad}.outputs`, new Uint8Array([34, 255, 34])]],
      '.outputs',
    ],
    ['a trace id that is none', (_, bad) => [[`post.${bad}`, main(bad, { trace_id: 'x' })]], '.trace_id'],
    ['a time that is none', (_, bad) => [[`patch.${bad}`, main(bad, { end_time: 'soon' })]], '.end_time'],
    [
      'a year that Postgres has not',
      (_, bad) => [[`post.${bad}`, main(bad, { start_time: '0000-01-01T00:00:00Z' })]],
      '.start_time',
    ],
    ['a part of no known name', () => [['hello', '{}']], 'part 3'],
    ['feedback without a key', () => [[`feedback.${uuidv7()}`, '{}']], '.key'],
    ['an empty part', (_, bad) => [[`post.${bad}.inputs`, '']], '.inputs'],
    ['an attachment without a name', (_, bad) => [[`attachment.${bad}`, 'x']], 'part 3'],
  ])('stores what else there is than %s, and names that', async (_name, bad_parts, named) => {
    const [good, bad] = [uuidv7(), uuidv7()];
    const parts: Part[] = [
      [`post.${good}`, main(good)],
      [`post.${good}.inputs`, '{"good":1}'],
      ...bad_parts(good, bad),
    ];
    const response = await post(parts);
    expect(response.status).toBe(202);
    const body = (await response.json()) as { message: string; issues: { loc: string[] }[] };
    expect(body.issues.map((issue) => issue.loc.join('.')).join()).toContain(named);
    expect(body.message).toContain(named);
    expect(await read(good)).toMatchObject({ inputs: { good: 1 }, name: 'run' });
  });

  it('refuses what leaves nothing to store, and names it', async () => {
    const response = await post([
      ['hello', '{}'],
      [`feedback.${uuidv7()}`, '{}'],
    ]);
    expect(response.status).toBe(422);
    const { details } = (await response.json()) as { details: string };
    expect(details).toContain('part 1');
    expect(details).toContain('.key');
  });

  it('keeps as text what is no JSON, where readers look for it', async () => {
    const id = uuidv7();
    const nan = '{"score": NaN, "best": [-Infinity], "n": 12345678901234567890}';
    const parts: Part[] = [
      [`post.${id}`, main(id)],
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

  it('reads the names of attachments as forms escape them', async () => {
    const id = uuidv7();
    await post([
      [`post.${id}`, main(id)],
      [`attachment.${id}.a%22b%0D%0Ac 100%25`, 'x', 'Content-Type: text/plain'],
    ]);
    const row = await fixture.fresh.db.one('select name from traces.attachments where run_id = $1', [id]);
    expect(row).toEqual({ name: 'a"b\r\nc 100%25' });
  });

  it('refuses a body that is cut off or is no multipart', async () => {
    const id = uuidv7();
    const body = new Uint8Array(multipartBody([[`post.${id}`, main(id)]]).subarray(0, -20));
    const type = (value: string) => ({ method: 'POST', body, headers: { 'content-type': value } });
    expect((await fixture.send('/runs/multipart', type('multipart/form-data; boundary=a0b1c2'))).status).toBe(
      422,
    );
    expect((await fixture.send('/runs/multipart', type('application/json'))).status).toBe(400);
  });

  it('puts a note in place of a payload of more than 20 MB', async () => {
    const id = uuidv7();
    const huge = JSON.stringify({ text: 'y'.repeat(21_000_000) });
    expect(
      (
        await post([
          [`post.${id}`, main(id)],
          [`post.${id}.inputs`, huge],
          [`post.${id}.outputs`, '{"ok":1}'],
        ])
      ).status,
    ).toBe(202);
    const run = await read(id);
    expect(run['inputs']).toHaveProperty('omitted');
    expect(run['outputs']).toEqual({ ok: 1 });
  });

  it('stores feedback and attachments, also before their run', async () => {
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
    const row = await fixture.fresh.db.one<{ digest: string; content_type: string; key: string }>(
      'select a.digest, a.content_type, f.key from traces.attachments a join traces.feedback f using (run_id) where run_id = $1',
      [id],
    );
    const blob = await fixture.blobs.get(row.digest);
    expect([...(await new Response(blob?.stream).bytes())]).toEqual([0, 13, 10, 45, 45, 255]);
    expect(row).toMatchObject({ content_type: 'image/png', key: 'score' });
  });
});

describe('JSON', () => {
  it('takes batches, single runs and patches, and keeps their bytes', async () => {
    const [a, b] = [uuidv7(), uuidv7()];
    const batch = `{"post":[${main(a).slice(0, -1)},"inputs":{"n":12345678901234567890}}],
      "patch":[{"id":"${a}","trace_id":"${a}","dotted_order":"${stamp}${a}","outputs":{ "m":1.0},"end_time":"2026-01-05T10:20:31Z"}]}`;
    expect((await json('/runs/batch', batch)).status).toBe(202);
    expect(await readText(a)).toContain('"inputs":{"n":12345678901234567890}');
    expect(await readText(a)).toContain('"outputs":{ "m":1.0}');
    expect((await json('/runs', { id: b, name: 'plain', run_type: 'tool', inputs: {} })).status).toBe(202);
    expect(await read(b)).toMatchObject({ trace_id: b, status: 'pending', name: 'plain' });
    expect(
      (await json(`/runs/${b}`, { outputs: { done: true }, end_time: Date.now() }, 'PATCH')).status,
    ).toBe(202);
    expect(await read(b)).toMatchObject({
      outputs: { done: true },
      status: 'success',
      name: 'plain',
      trace_id: b,
    });
  });

  it.each([
    ['/runs/batch', '{"post":{}}', 'post'],
    ['/runs/batch', '[]', 'body'],
    ['/runs/batch', '{"post":[{"id":"x"}]}', 'post.0.id'],
    ['/runs/batch', '{"patch":[3]}', 'patch.0'],
    ['/runs', '{"id":7}', 'body.id'],
    ['/runs', '{"run_type":"agent"}', 'body.run_type'],
    ['/runs/batch', `{"post":[{"id":"${uuidv7()}","run_type":"agent"}]}`, 'post.0.run_type'],
    ['/runs', '{"name" "x"}', 'body'],
    ['/runs', '', 'body'],
  ])('refuses at %s: %s', async (path, body, named) => {
    const response = await json(path, body);
    expect(response.status).toBe(422);
    expect(((await response.json()) as { details: string }).details).toContain(named);
  });

  it('makes the id of a run that has none', async () => {
    const name = `nameless ${uuidv7()}`;
    expect((await json('/runs', { name, run_type: 'tool', inputs: {}, session_name: name })).status).toBe(
      202,
    );
    const [session] = (await (await fixture.send(`/sessions?name=${encodeURIComponent(name)}`)).json()) as {
      id: string;
    }[];
    const found = await json('/runs/query', { session: [session?.id] });
    expect(((await found.json()) as { runs: object[] }).runs).toEqual([expect.objectContaining({ name })]);
  });

  it('stores the runs of a batch beside one with a bare NaN, and beside what is none', async () => {
    const [a, b, c] = [uuidv7(), uuidv7(), uuidv7()];
    const bad = `${main(b).slice(0, -1)},"inputs":{"x":NaN},"outputs":{"y":1},"end_time":"","tags":Infinity}`;
    const response = await json('/runs/batch', `{"post":[${main(a)},${bad},7,{"id":"x"},${main(c)}]}`);
    expect(response.status).toBe(202);
    const { issues } = (await response.json()) as { issues: { loc: string[] }[] };
    expect(new Set(issues.map((issue) => issue.loc[0]))).toEqual(
      new Set(['post.1.end_time', 'post.1.inputs', 'post.1.tags', 'post.2', 'post.3.id']),
    );
    expect(await Promise.all([a, b, c].map(statusOf))).toEqual([200, 200, 200]);
    expect(await read(b)).toMatchObject({ inputs: { text: '{"x":NaN}' }, outputs: { y: 1 }, end_time: null });
  });

  it('lays what a patch says of extra over what the post said', async () => {
    const id = uuidv7();
    const extra = { runtime: { sdk: 'js', n: 1 }, metadata: { a: 1, b: 1 }, batch: 1 };
    const extraOf = async () => (await read(id))['extra'];
    await json('/runs', { ...(JSON.parse(main(id)) as object), extra });
    await json(`/runs/${id}`, { extra: {} }, 'PATCH');
    expect(await extraOf()).toEqual({ ...extra, metadata: { a: 1, b: 1, ls_run_depth: 0 } });
    await json(`/runs/${id}`, { extra: { metadata: { b: 2, c: 3 }, runtime: null } }, 'PATCH');
    await json('/runs', { ...(JSON.parse(main(id)) as object), extra: { metadata: { a: 9, c: 9, d: 9 } } });
    expect(await extraOf()).toEqual({
      ...extra,
      metadata: { a: 1, b: 2, c: 3, d: 9, ls_run_depth: 0 },
    });
  });

  it('refuses a patch of what is no run id', async () => {
    expect((await json('/runs/nothing', {}, 'PATCH')).status).toBe(422);
  });
});

describe('placement', () => {
  const child = (id: string, parent_run_id: string, more: object = {}) => ({
    id,
    parent_run_id,
    name: 'child',
    run_type: 'tool',
    start_time: START,
    ...more,
  });

  it('derives what clients leave out, whatever comes first', async () => {
    const [root, middle, leaf] = [uuidv7(), uuidv7(), uuidv7()];
    await json('/runs', child(leaf, middle));
    await json(`/runs/${middle}`, { outputs: { x: 1 } }, 'PATCH');
    await json('/runs', child(middle, root));
    expect(await read(leaf)).toMatchObject({ trace_id: middle });
    await json('/runs', {
      id: root,
      name: 'root',
      start_time: START,
      session_name: 'late',
      extra: { metadata: { thread_id: 't' } },
    });
    const order = `${stamp}${root}.${stamp}${middle}.${stamp}${leaf}`;
    const runs = await Promise.all([root, middle, leaf].map(read));
    expect(runs.map((run) => run['trace_id'])).toEqual([root, root, root]);
    expect(runs.map((run) => run['thread_id'])).toEqual(['t', 't', 't']);
    expect(new Set(runs.map((run) => run['session_id'])).size).toBe(1);
    expect(runs[2]?.['dotted_order']).toBe(order);
    expect(runs[2]?.['parent_run_ids']).toEqual([root, middle]);
    expect(runs[1]?.['outputs']).toEqual({ x: 1 });
    const left = await fixture.fresh.db.query('select from traces.strays where run_id = any ($1)', [
      [root, middle, leaf],
    ]);
    expect(left).toEqual([]);
    const traces = await fixture.fresh.db.query(
      'select trace_id, run_count from traces.traces where trace_id = any ($1)',
      [[root, middle, leaf]],
    );
    expect(traces).toEqual([{ trace_id: root, run_count: 3 }]);
  });

  it('puts runs of no project into the default one', async () => {
    const id = uuidv7();
    await json('/runs', { id, name: 'homeless', start_time: START, session_id: uuidv7() });
    const run = await read(id);
    const [session] = (await (await fixture.send('/sessions?name=default')).json()) as { id: string }[];
    expect(run['session_id']).toBe(session?.id);
  });

  it('keeps workspaces apart, also where their run ids are the same', async () => {
    const id = uuidv7();
    const send = (workspace_id: string, name: string) =>
      fixture.send('/runs', { method: 'POST', workspace_id, body: main(id, { name, inputs: { name } }) });
    await send(OTHER_WORKSPACE, 'theirs');
    expect(await statusOf(id)).toBe(404);
    await fixture.send('/runs', { method: 'POST', body: main(id, { name: 'ours' }) });
    expect(await read(id)).toMatchObject({ name: 'ours', inputs: {} });
    const theirs = await fixture.send(`/runs/${id}`, { workspace_id: OTHER_WORKSPACE });
    expect(await theirs.json()).toMatchObject({ name: 'theirs', inputs: { name: 'theirs' } });
  });
});

describe('back pressure', () => {
  it('answers 503 with Retry-After when the disk is nearly full, and goes on serving reads', async () => {
    let free = 50;
    let now = 0;
    await using small = await startFixture({
      free_disk: async () => free,
      clock: { now: () => Date.now() + now },
    });
    const send = () => small.send('/runs', { method: 'POST', body: main(uuidv7()) });
    expect((await send()).status).toBe(202);
    free = 4.9;
    now += 5000;
    const refused = await send();
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(await (await small.send('/info/health')).json()).toEqual({ clickhouse_disk_free_pct: 4.9 });
    expect((await small.send('/sessions')).status).toBe(200);
  });

  it('answers 503 with Retry-After when the database is away', async () => {
    let away = false;
    const refuse = () =>
      Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
    const between = (db: Database): Database => ({
      ...db,
      query: (...call) => (away ? refuse() : db.query(...call)),
      transaction: (work) => (away ? refuse() : db.transaction(work)),
    });
    await using cut = await startFixture({ between });
    away = true;
    const id = uuidv7();
    const answers = [
      await cut.send('/runs', { method: 'POST', body: main(id) }),
      await cut.send(`/runs/${id}`),
      await cut.send('/api/ok'),
    ];
    expect(answers.map((answer) => [answer.status, answer.headers.get('retry-after')])).toEqual([
      [503, '1'],
      [503, '1'],
      [503, '2'],
    ]);
    away = false;
    expect((await cut.send('/runs', { method: 'POST', body: main(id) })).status).toBe(202);
    expect((await cut.send('/api/ok')).status).toBe(200);
  });
});
