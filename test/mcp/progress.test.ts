import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { useFixture } from '@roadstead/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { uuidv7 } from '@roadstead/kit';
import { startOpenServer } from './conformance/conformance-server.ts';
import { PROJECT, startMcpFixture, traceOf } from './mcp-fixture.ts';

/** What a client hears of a call while it lasts, and what becomes of one that it gives up. */

const launcher = fileURLToPath(new URL('../../bin/roadstead.mjs', import.meta.url));
const eras = ['2026-07-28', '2025'] as const;
type Era = (typeof eras)[number];

const clientOf = (era: Era) =>
  new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: era === '2025' ? 'legacy' : { pin: era } } },
  );

describe('a call that reads a lot', () => {
  const trace_id = uuidv7();

  const fixture = useFixture(startMcpFixture);
  beforeAll(() => fixture().send(traceOf(trace_id, 250)));

  test.each(eras)(
    'when a client of %s asks for progress, then it is told, and what is cut is linked',
    async (era) => {
      const client = clientOf(era);
      await client.connect(
        new StreamableHTTPClientTransport(new URL(fixture().url), {
          requestInit: { headers: fixture().headers },
        }),
      );
      const told: number[] = [];
      const args = { project_name: PROJECT, limit: 250, page_number: 1, trace_id };
      const answer = await client.callTool(
        { name: 'fetch_runs', arguments: args },
        { onprogress: ({ progress }) => told.push(progress) },
      );
      expect(told.length).toBeGreaterThan(1);
      expect(told.toSorted((one, other) => one - other)).toEqual(told);
      expect(told.at(-1)).toBe(250);
      const links = answer.content.filter((item) => item.type === 'resource_link');
      expect(links).toHaveLength(10);
      const { contents } = await client.readResource({ uri: links[0]?.uri ?? '' });
      expect(JSON.stringify(contents)).toContain('x'.repeat(300));
      await client.close();
    },
  );
});

/** An API that takes questions and never answers. */
async function silentApi() {
  const heard = new EventEmitter();
  const server = createServer((request, response) => {
    response.once('close', () => heard.emit('given up'));
    heard.emit('asked', request.url);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('a call that the client gives up', () => {
  test.each(eras)(
    'when the caller gives up over HTTP in the protocol of %s, then the API is asked no longer',
    async (era) => {
      await using api = await silentApi();
      await using server = await startOpenServer({ api_url: api.url });
      const client = clientOf(era);
      const requests = new AbortController();
      await client.connect(
        new StreamableHTTPClientTransport(new URL(server.url), {
          // Without a session a request of 2025 is given up with its connection alone.
          fetch: (url, init) =>
            fetch(url, {
              ...init,
              signal: AbortSignal.any([requests.signal, ...(init?.signal ? [init.signal] : [])]),
            }),
        }),
      );
      const [asked, given_up] = [once(api.heard, 'asked'), once(api.heard, 'given up')];
      const call = client.callTool({ name: 'list_projects', arguments: {} }, { signal: requests.signal });
      const ended = call.then(
        () => 'answered',
        () => 'refused',
      );
      await asked;
      requests.abort();
      expect(await ended).toBe('refused');
      await given_up;
      await client.close();
    },
  );

  test.each(eras)(
    'when the caller gives up over stdio in the protocol of %s, then the API is asked no longer',
    async (era) => {
      await using api = await silentApi();
      const client = clientOf(era);
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [launcher, 'mcp'],
          env: { PATH: process.env['PATH'] ?? '', SERVICE_API_KEY: 'key', SERVICE_ENDPOINT: api.url },
        }),
      );
      const [asked, given_up] = [once(api.heard, 'asked'), once(api.heard, 'given up')];
      const requests = new AbortController();
      const call = client.callTool({ name: 'list_projects', arguments: {} }, { signal: requests.signal });
      const ended = call.then(
        () => 'answered',
        () => 'refused',
      );
      await asked;
      requests.abort();
      expect(await ended).toBe('refused');
      await given_up;
      // The connection is as good as before.
      expect((await client.listTools()).tools.length).toBeGreaterThan(0);
      await client.close();
    },
  );
});
