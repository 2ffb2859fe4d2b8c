import { mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useFixture } from '@roadstead/testing';
import { Client, RunTree } from 'langsmith';
import { afterEach, expect, test, vi } from 'vitest';
import { dataHome, startPlatform } from '../support/platform.ts';

/** `roadstead traces`: what an SDK could not send is sent again from its files, and costs follow changed prices. */

const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(join(home().path, 'data')));
afterEach(() => vi.unstubAllEnvs());

/** Tells what it takes, and then takes nothing. */
async function refusingServer() {
  const info = { version: '0.17.0', batch_ingest_config: { use_multipart_endpoint: true } };
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      const isInfo = request.url?.endsWith('/info') === true;
      response.writeHead(isInfo ? 200 : 400, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isInfo ? info : { detail: 'not today' }));
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((done) => server.close(() => done())),
  };
}

async function failedTrace(folder: string): Promise<RunTree> {
  await using server = await refusingServer();
  vi.stubEnv('LANGSMITH_FAILED_TRACES_DIR', folder);
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const client = new Client({ apiUrl: server.url, apiKey: 'a-key-of-another-server' });
  const root = new RunTree({
    name: 'unsent',
    inputs: { question: 'lost?' },
    project_name: 'replayed',
    client,
    attachments: { note: { mimeType: 'text/plain', data: Buffer.from('kept') } },
  });
  await root.postRun();
  const child = root.createChild({ name: 'step', run_type: 'tool', inputs: { n: 1 } });
  await child.postRun();
  await child.end({ found: true });
  await child.patchRun();
  await root.end({ answer: 'no' });
  await root.patchRun();
  await client.awaitPendingTraceBatches();
  return root;
}

const read = async (id: string) => {
  const answer = await platform().fetch(`${platform().url}/runs/${id}`, {
    headers: { 'x-api-key': platform().key },
  });
  return (await answer.json()) as Record<string, unknown>;
};

test('when the SDK kept traces in files, then they are sent again without harm, and removed', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'roadstead-dumps-'));
  const root = await failedTrace(folder.path);
  const names = await readdir(folder.path);
  expect(names.length).toBeGreaterThan(0);
  const dump = await readFile(join(folder.path, names[0] ?? ''), 'utf8');
  expect(JSON.parse(dump)).toMatchObject({ version: 1, endpoint: 'runs/multipart' });
  for (const _twice of [1, 2]) {
    const replay = await platform().run('traces', 'replay', folder.path);
    expect(replay).toMatchObject({
      code: 0,
      stdout: `${names.length} of ${names.length} requests are stored.\n`,
    });
    expect(replay.stderr).toContain(`1 of ${names.length}: trace_`);
  }
  const run = await read(root.id);
  expect(run).toMatchObject({
    name: 'unsent',
    inputs: { question: 'lost?' },
    outputs: { answer: 'no' },
    status: 'success',
  });
  expect(run['child_run_ids']).toHaveLength(1);
  expect(await readdir(folder.path)).toEqual(names);
  const last = await platform().run('traces', 'replay', folder.path, '--delete', '--json');
  expect(JSON.parse(last.stdout)).toEqual({ sent: names.length, failed: [] });
  expect(await readdir(folder.path)).toEqual([]);
});

test('when prices are applied again, then the costs of stored runs follow them', async () => {
  const headers = { 'x-api-key': platform().key, 'content-type': 'application/json' };
  const post = async (path: string, body: object) =>
    platform().fetch(`${platform().url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const id = crypto.randomUUID();
  const run = {
    id,
    trace_id: id,
    dotted_order: `20260105T090000000000Z${id}`,
    name: 'call',
    run_type: 'llm',
  };
  const extra = { metadata: { ls_model_name: 'priced-later' } };
  const outputs = { usage_metadata: { input_tokens: 10, output_tokens: 1 } };
  await post('/runs', { ...run, start_time: '2026-01-05T09:00:00Z', extra, outputs });
  expect((await read(id))['total_cost']).toBeNull();
  const price = { name: 'later', match_pattern: '^priced-later$', prompt_cost: '0.5', completion_cost: '1' };
  expect((await post('/model-price-map', price)).status).toBe(200);
  expect(await platform().run('traces', 'reprice')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The costs of 1 of \d+ runs changed\.\n$/) as string,
  });
  expect((await read(id))['total_cost']).toBe(6);
  const again = await platform().run('traces', 'reprice', '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({ status: 'done', runs_changed: 0 });
  expect(JSON.parse((await platform().run('traces', 'reprice', '--no-wait', '--json')).stdout)).toMatchObject(
    {
      runs_seen: 0,
    },
  );
});

test('when a file is no dump, then it is named and left, and the others are sent', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'roadstead-dumps-'));
  const id = crypto.randomUUID();
  const batch = {
    post: [{ id, trace_id: id, dotted_order: `20260105T090000000000Z${id}`, name: 'batched' }],
  };
  const envelope = (body: unknown, more: object = {}) =>
    JSON.stringify({
      version: 1,
      endpoint: 'runs/batch',
      headers: { 'Content-Type': 'application/json', 'x-api-key': 'a-key-of-another-server' },
      body_base64: Buffer.from(JSON.stringify(body)).toString('base64'),
      ...more,
    });
  const files = {
    'trace_1.0_a.json': envelope(batch),
    'trace_2.0_b.json': '{"version": 1',
    'trace_3.0_c.json': envelope(batch, { version: 2 }),
    'trace_4.0_d.json': envelope(batch, { endpoint: '../v2/api-keys' }),
    'trace_5.0_e.json': envelope([]),
    'notes.txt': 'not looked at',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder.path, name), text);
  const replay = await platform().run('traces', 'replay', folder.path, '--delete');
  expect([replay.code, replay.stdout]).toEqual([
    1,
    '1 of 5 requests are stored. The other 4 stay where they are.\n',
  ]);
  for (const [name, why] of [
    ['trace_2.0_b.json', 'is no dump of version 1'],
    ['trace_3.0_c.json', 'version is wrong'],
    ['trace_4.0_d.json', 'endpoint is wrong'],
    ['trace_5.0_e.json', 'is not a JSON object'],
  ] as const)
    expect(replay.stderr).toMatch(new RegExp(`${name}: .*${why}`));
  expect(await read(id)).toMatchObject({ name: 'batched' });
  expect((await readdir(folder.path)).sort()).toEqual(
    Object.keys(files)
      .filter((name) => !name.includes('_a'))
      .sort(),
  );
  expect(await platform().run('traces', 'replay', join(folder.path, 'nowhere'))).toMatchObject({ code: 1 });
});
