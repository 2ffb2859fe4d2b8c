import { request } from 'node:http';
import { BlockList } from 'node:net';
import { json } from 'node:stream/consumers';
import { listen, type RequestHandler } from '@roadstead/http';
import { silentLog } from '@roadstead/kit';
import { startMcpServer, withSignIn } from '@roadstead/mcp-server';
import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { EdgeHosts } from './edge-hosts.ts';
import { createOrigin } from './origin.ts';

/** Addresses that no client of ours writes: each belongs to a service of ours, which asks who calls, or to none. */

/** Requests that reached a service other than the MCP server, or the agents. */
let reached: string[] = [];

const seen = (name: string): RequestHandler => ({
  fetch: async ({ url }) => {
    reached.push(`${name} ${new URL(url).pathname}`);
    return new Response('{}', { status: 404 });
  },
});
const mcp = useFixture(() =>
  startMcpServer({
    verify: async () => undefined,
    fetch: async () => new Response('{}', { status: 500 }),
    api_url: 'http://127.0.0.1/api',
    allowed_endpoints: [],
    log: silentLog,
  }),
);
const server = useFixture(() => {
  const { listener } = createOrigin({
    credentials: { inward: async () => ({}), forget: () => undefined },
    services: {
      identity: seen('identity'),
      'control-plane': seen('control-plane'),
      observability: seen('observability'),
      platform: seen('platform'),
      'mcp-server': withSignIn(mcp().served, 'http://127.0.0.1'),
    },
    agents: {
      pass: ({ url }, { outgoing }) => {
        reached.push(`agents ${url}`);
        outgoing.writeHead(404, { 'content-type': 'application/json' }).end('{}');
      },
      upgrade: () => undefined,
      [Symbol.dispose]: () => undefined,
    },
    hosts: new EdgeHosts({ socket: '/nowhere', isOwn: () => true }),
    trusted_proxies: new BlockList(),
  });
  return listen(listener, { host: '127.0.0.1', port: 0 });
});

/** Sent unchanged, while `fetch` would normalize it. */
async function post(path: string): Promise<{ readonly status: number | undefined; readonly body: unknown }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: unknown }>();
  const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  const asked = request({
    port: server().port,
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  });
  asked.on('response', (answer) => {
    json(answer).then((read) => resolve({ status: answer.statusCode, body: read }), reject);
  });
  asked.on('error', reject).end(body);
  return promise;
}

test.each([
  ['/mcp', 401],
  ['/mcp/', 401],
  ['/api/mcp', 401],
  ['/mcp?toolsets=all', 401],
  ['/./mcp', 401],
  ['/x/../mcp', 401],
  ['/%2e/mcp', 401],
  ['//mcp', 404],
  ['///mcp', 404],
  ['/api//mcp', 404],
  ['//mcp/', 404],
  ['/mcp//', 404],
  ['/MCP', 404],
  ['/%6dcp', 404],
  ['/mcp%2f', 404],
  ['/mcp;x=1', 404],
  ['/mcp/..;/mcp', 404],
  ['/mcp%00', 404],
  [String.raw`/\mcp`, 400],
])(
  'when %s is asked without a credential, then the answer is %i and nothing is done',
  async (path, status) => {
    reached = [];
    const answer = await post(path);
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body).includes('Nothing is served at')).toBe(status === 404);
    expect(reached).toEqual([]);
  },
);

test.each(['/agents/../mcp', '/agents/x/../../mcp', '/agents//mcp', '/agents/%2e%2e/mcp'])(
  'when %s begins as an address of an agent, then agents alone are asked',
  async (path) => {
    reached = [];
    expect((await post(path)).status).toBe(404);
    expect(reached).toEqual([`agents ${path}`]);
  },
);
