import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { useFixture, useFolder } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { NOT_SERVED_HEADER } from '@roadstead/contracts/host-peer';
import { readLangGraphJson } from '@roadstead/contracts/langgraph-json';
import { FencedProcess } from '@roadstead/fence';
import { fencedLauncher } from './fenced-launcher.ts';
import { HostProcess } from './host-process.ts';

const folder = fileURLToPath(new URL('../../../graph-host/fixtures/web/', import.meta.url));
const checkout = fileURLToPath(new URL('../../../../', import.meta.url));
const lines: string[] = [];
const asked: Request[] = [];

const scratch = useFolder('host-http-');
const host = useFixture(startHost);

/** A graph host of the fixture `web`, whose deployment answers each call of its code with a list of one. */
async function startHost(): Promise<HostProcess> {
  const read = readLangGraphJson(await readFile(join(folder, 'langgraph.json'), 'utf8'), 'langgraph.json');
  if (read.kind === 'refused') throw new Error(read.message);
  const revision = { folder, project: read.config, environment: { ROADSTEAD_MODULE_ROOT: checkout } };
  const launcher = fencedLauncher({
    isolation: 'none',
    resource_limits: 'none',
    start: ({ command, environment, pipes, cwd }) =>
      new FencedProcess({
        command: ['/bin/sh', '-c', `cd "$0" && exec "$@"`, cwd, ...command],
        environment,
        pipes,
      }),
  });
  const started = new HostProcess({
    launched: launcher.launch({
      revision,
      language: 'javascript',
      names: { deployment_id: 'deployment', revision_id: 'revision', name: 'agent' },
      writable_folder: scratch(),
      limits: { memory_mb: 512, cpus: undefined },
      api_url: 'http://roadstead.test',
    }),
    handlers: { ask: () => Promise.reject(new Error('nothing to ask')), tell: () => undefined },
    onLine: (line) => lines.push(line),
    mask: (text) => text,
    loopback: async (request) => {
      asked.push(request);
      return Response.json([{ path: new URL(request.url).pathname, body: await request.text() }]);
    },
  });
  await started.ask('describe', {});
  return started;
}

const get = (path: string, init: RequestInit = {}) =>
  host().fetch(new Request(`https://agents.example${path}`, init));

test('when an app is described, then it tells its own addresses and not those of its middleware', async () => {
  const { result } = await host().ask('describe', {});
  expect(result.app?.routes).toContainEqual({ method: 'GET', path: '/hello' });
  expect(result.app?.routes).toContainEqual({ method: 'ALL', path: '/inner/any' });
  expect(result.app?.routes?.filter(({ path }) => path.includes('*'))).toEqual([]);
});

test('when a request comes, then it reaches the app with its address, through its middleware', async () => {
  const answer = await get('/hello?name=you');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-from-middleware')).toBe('yes');
  expect(await answer.json()).toEqual({ hello: 'you', at: 'https://agents.example/hello?name=you' });
  const head = await get('/hello', { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect(await (await get('/inner/any', { method: 'DELETE' })).text()).toBe('DELETE');
  expect((await get('/cookies')).headers.getSetCookie()).toEqual(['a=1', 'b=2']);
});

test('when an app does not have an address, then that is told apart from what it answers', async () => {
  expect((await get('/nothing')).headers.get(NOT_SERVED_HEADER)).toBe('1');
  expect((await get('/assistants/abc')).headers.get(NOT_SERVED_HEADER)).toBe('1');
  expect((await get('/assistants/12')).headers.get(NOT_SERVED_HEADER)).toBeNull();
});

test('when an app throws, then it answers 500, and the output has its error', async () => {
  const answer = await get('/wrong');
  expect([answer.status, await answer.text()]).toEqual([500, 'Internal Server Error']);
  await expect.poll(() => lines.join('\n')).toContain('the app is broken');
  const own = await get('/inner/throws');
  expect([own.status, await own.text()]).toEqual([418, 'of the inner app']);
});

test('when a body is streamed, then a piece comes back before the next one is sent', async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const answer = await get('/echo', { method: 'POST', body: readable, duplex: 'half' });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (const piece of ['one', 'two', 'three']) {
    await writer.write(new TextEncoder().encode(piece));
    expect((await reader?.read())?.value).toBe(piece);
  }
  await writer.close();
  expect((await reader?.read())?.done).toBe(true);
});

test('when large bodies come, then they come whole, many at a time', async () => {
  const sizes = await Promise.all(
    Array.from({ length: 4 }, async () => (await (await get('/large')).arrayBuffer()).byteLength),
  );
  expect(sizes).toEqual([20_000_000, 20_000_000, 20_000_000, 20_000_000]);
  const sent = await get('/echo', { method: 'POST', body: new Uint8Array(30_000_000) });
  expect((await sent.arrayBuffer()).byteLength).toBe(30_000_000);
});

test('when nobody reads an answer, then it pauses, holds up no other, and ends with its reader', async () => {
  const gone = new AbortController();
  const answer = await get('/endless', { signal: gone.signal });
  expect(answer.status).toBe(200);
  const seen = async () => (await (await get('/seen')).json()) as { produced: number; aborted: number };
  let before = -1;
  const rests = async () => {
    const { produced } = await seen();
    const is_same = produced === before;
    before = produced;
    return is_same;
  };
  await expect.poll(rests).toBe(true);
  expect(before).toBeLessThan(4_000_000);
  gone.abort();
  await expect.poll(async () => (await seen()).aborted).toBe(1);
});

test('when the project’s code calls its own deployment, then it may do so by hand or by a client', async () => {
  const own = (await (await get('/own/some')).json()) as { status: number; body: string };
  expect(own).toEqual({ status: 200, body: JSON.stringify([{ path: '/some', body: '' }]) });
  const [found] = (await (await get('/assistants-by-client')).json()) as { path: string; body: string }[];
  expect(found?.path).toBe('/assistants/search');
  expect(JSON.parse(found?.body ?? '')).toMatchObject({ limit: 7 });
  expect(asked.at(-1)?.method).toBe('POST');
});

test('when texts are embedded, then each gets a vector, as long as was said', async () => {
  const { result } = await host().ask('embed', { texts: ['hello', 'rhythm'] });
  expect(result.vectors).toEqual([
    [5, 2, 1],
    [6, 0, 1],
  ]);
  await expect(host().ask('embed', { texts: ['short'] })).rejects.toThrow(
    'the 3 numbers that store.index.dims',
  );
});

test('when an app ends its process, then its caller reads a sentence', async () => {
  const other = await startHost();
  await using _other = other;
  await expect(other.fetch(new Request('https://agents.example/ends'))).rejects.toThrow(
    'ended before it answered',
  );
  await other.exited;
  await expect(other.fetch(new Request('https://agents.example/hello'))).rejects.toThrow('has ended');
});
