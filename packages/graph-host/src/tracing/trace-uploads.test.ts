import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from 'langsmith';
import { afterEach, expect, test, vi } from 'vitest';
import { type TracingClient, TraceUploads } from './trace-uploads.ts';

/** A client of a kind of its own, whose uploads end when told. */
function heldClient(apiUrl = 'http://ours') {
  const sent: { as: string; end: () => void; fail: () => void }[] = [];
  class HeldClient {
    readonly apiUrl = apiUrl;
    multipartIngestRuns(_runs: object, _options?: object) {
      return this.#send('form');
    }
    batchIngestRuns(_runs: object, _options?: object) {
      return this.#send('json');
    }
    #send(as: string): Promise<void> {
      return new Promise((resolve, reject) =>
        sent.push({ as, end: resolve, fail: () => reject(new Error()) }),
      );
    }
  }
  return { client: new HeldClient(), sent };
}

async function isWaiting(turn: Promise<void>): Promise<boolean> {
  const waiting = Symbol('waiting');
  return (await Promise.race([turn, new Promise((resolve) => setImmediate(resolve, waiting))])) === waiting;
}

const runs = { runCreates: [{}], runUpdates: [{}] };

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each([
  ['plain runs to ours', 'http://ours', runs, {}, 'json'],
  ['runs without files', 'http://ours', { runCreates: [{ attachments: {} }] }, {}, 'json'],
  ['a run with a file', 'http://ours', { runCreates: [{ attachments: { a: [] } }] }, {}, 'form'],
  ['an update with a file', 'http://ours', { runUpdates: [{ attachments: { a: [] } }] }, {}, 'form'],
  ['runs with feedback', 'http://ours', { ...runs, feedbacks: [{}] }, {}, 'form'],
  ['runs without feedback', 'http://ours', { ...runs, feedbacks: [] }, {}, 'json'],
  ['runs to elsewhere', 'http://theirs', runs, {}, 'form'],
  ['a copy to elsewhere', 'http://ours', runs, { apiUrl: 'http://theirs' }, 'form'],
])(
  'when a client sends %s, then the request has the form that it takes',
  (_what, apiUrl, given, options, as) => {
    const { client, sent } = heldClient(apiUrl);
    const uploads = new TraceUploads('http://ours');
    uploads.adopt(client);
    uploads.adopt(client);
    void client.multipartIngestRuns(given, options);
    expect(sent.map((one) => one.as)).toEqual([as]);
  },
);

/** A client of a kind of its own, and what it sends as JSON. */
function recordingClient() {
  const parts: { runCreates: { id: string }[]; runUpdates: { id: string }[] }[] = [];
  class RecordingClient {
    readonly apiUrl = 'http://ours';
    async multipartIngestRuns(_runs: object, _options?: object) {}
    async batchIngestRuns(runs: object) {
      parts.push(runs as (typeof parts)[number]);
    }
  }
  const client = new RecordingClient();
  new TraceUploads('http://ours').adopt(client);
  return { client, parts };
}

test('when many runs are sent, then they go in several requests, each run whole in one', async () => {
  const { client, parts } = recordingClient();
  const ids = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => ({ id: `run ${from + at}` }));
  await client.multipartIngestRuns({ runCreates: ids(0, 400), runUpdates: ids(200, 500) });
  expect(parts.map(({ runCreates }) => runCreates.length)).toEqual([150, 150, 100, 0]);
  expect(parts.map(({ runUpdates }) => runUpdates.length)).toEqual([0, 100, 150, 50]);
  expect(parts.flatMap(({ runCreates }) => runCreates)).toEqual(ids(0, 400));
  expect(parts.flatMap(({ runUpdates }) => runUpdates)).toEqual(ids(200, 500));
});

test('when a trace is sent, then it goes in one request, unless it is longer than one', async () => {
  const { client, parts } = recordingClient();
  const runsOf = (trace_id: string, count: number) =>
    Array.from({ length: count }, (_, at) => ({ id: `${trace_id} ${at}`, trace_id }));
  const [one, two, long] = [runsOf('one', 100), runsOf('two', 100), runsOf('long', 301)];
  const mixed = one.flatMap((run, at) => [run, ...two.slice(at, at + 1)]);
  await client.multipartIngestRuns({ runCreates: [...mixed, ...long] });
  expect(parts.map(({ runCreates }) => runCreates)).toEqual([
    one,
    two,
    long.slice(0, 150),
    long.slice(150, 300),
    long.slice(300),
  ]);
});

test('when an SDK lacks these methods, then it is left as it is', () => {
  class Older {
    batchIngestRuns = undefined;
  }
  const client = new Older();
  new TraceUploads('http://ours').adopt(client as unknown as TracingClient);
  expect('multipartIngestRuns' in client).toBe(false);
});

test('when many uploads are under way, then runs wait until one ends, however it ends', async () => {
  const { client, sent } = heldClient();
  const uploads = new TraceUploads('http://ours');
  uploads.adopt(client);
  const send = () => client.multipartIngestRuns(runs).catch(() => undefined);
  for (let at = 0; at < 7; at += 1) void send();
  expect(await isWaiting(uploads.turn())).toBe(false);
  void send();
  const turns = [uploads.turn(), uploads.turn()];
  expect(await isWaiting(turns[0]!)).toBe(true);
  sent[0]?.fail();
  await Promise.all(turns);
});

test('when few uploads hold much, then runs wait, too', async () => {
  const { client, sent } = heldClient();
  const uploads = new TraceUploads('http://ours');
  uploads.adopt(client);
  void client.multipartIngestRuns(runs, { sizeBytes: 32_000_000 });
  const turn = uploads.turn();
  expect(await isWaiting(turn)).toBe(true);
  sent[0]?.end();
  await turn;
});

test('when traces can’t be sent, then runs go on after a while', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const { client } = heldClient();
  const uploads = new TraceUploads('http://ours');
  uploads.adopt(client);
  for (let at = 0; at < 8; at += 1) void client.multipartIngestRuns(runs);
  const turn = uploads.turn();
  expect(await isWaiting(turn)).toBe(true);
  await vi.advanceTimersByTimeAsync(2000);
  expect(await isWaiting(turn)).toBe(false);
  vi.useRealTimers();
});

test('when the real SDK sends runs, then they go as JSON, and files by a form', async () => {
  const posts: { url: string; body: string }[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      if (request.method === 'POST')
        posts.push({ url: request.url ?? '', body: Buffer.concat(pieces).toString() });
      response.end(JSON.stringify({ batch_ingest_config: { use_multipart_endpoint: true } }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const names = ['API_URL', 'DISABLE_RUN_COMPRESSION', 'TRACING', 'WORKSPACE_ID', 'OF_THE_USER'];
  for (const name of names) vi.stubEnv(`LANGSMITH_${name}`, name);
  const client = new Client({ apiUrl, apiKey: 'key-of-the-test' });
  new TraceUploads(apiUrl).adopt(client as unknown as TracingClient);
  const run = (id: string, more: object = {}) =>
    client.createRun({
      id,
      trace_id: id,
      dotted_order: `20260101T000000000000Z${id}`,
      name: 'a run',
      run_type: 'chain',
      inputs: { of: id },
      ...more,
    });
  const [plain, filed] = [crypto.randomUUID(), crypto.randomUUID()];
  await run(plain);
  await client.awaitPendingTraceBatches();
  await run(filed, { attachments: { note: ['text/plain', Buffer.from('what the file says')] } });
  await client.awaitPendingTraceBatches();
  server.close();
  expect(posts.map(({ url }) => url)).toEqual(['/runs/batch', '/runs/multipart']);
  const { post } = JSON.parse(posts[0]!.body) as { post: { extra: { metadata: object } }[] };
  expect(post).toMatchObject([{ id: plain, inputs: { of: plain } }]);
  const kept = Object.keys(post[0]!.extra.metadata).filter((key) =>
    names.includes(key.slice('LANGSMITH_'.length)),
  );
  expect(kept).toEqual(['LANGSMITH_OF_THE_USER']);
  expect(posts[1]!.body).toContain('what the file says');
});
