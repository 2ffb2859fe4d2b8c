import { once } from 'node:events';
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { useFixturePerTest, useFolderPerTest } from '@roadstead/testing';
import { beforeEach, expect, test } from 'vitest';
import { createClient, ownHosts } from '@roadstead/contracts';
import { identity } from '@roadstead/contracts/identity';
import { listen } from '@roadstead/http';
import { createCredentials } from '@roadstead/service';
import { WebSocket, WebSocketServer } from 'ws';
import type { RoutePolicy, RunningDeployment } from '../ports/runtime.ts';
import { ClaimedHosts } from './claimed-hosts.ts';
import { createRouter } from './router.ts';
import { Routes } from './routes.ts';

/** The part of a caller's credentials that a deployment gets. */

const ourKey = `rs_${'k'.repeat(43)}`;
const theirToken = 'Bearer of-the-app';

let policy: RoutePolicy;
let identityStatus: number;
let seen: Request[];
let upgraded: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders }[];

const folder = useFolderPerTest('router-');
beforeEach(() => {
  [seen, upgraded, identityStatus, policy] = [[], [], 200, { verifies: true, cors: null }];
});
const client = useFixturePerTest(() =>
  createClient(identity, {
    base_url: 'http://identity.invalid',
    fetch: async () =>
      identityStatus === 200
        ? Response.json({ assertion: 'signed', expires_at: new Date(Date.now() + 60_000).toISOString() })
        : Response.json({ detail: 'no' }, { status: identityStatus }),
  }),
);
const running: RunningDeployment = {
  prepare: () => Promise.reject(new Error('unused')),
  restore: () => undefined,
  activate: async () => undefined,
  retire: async () => undefined,
  hosts: () => 0,
  kill: () => undefined,
  routePolicy: () => policy,
  fetch: async (request) => {
    seen.push(request);
    return Response.json({});
  },
  upgrade: async (request, { socket, head }) => {
    upgraded.push({ url: request.url, headers: { ...request.headers } });
    new WebSocketServer({ noServer: true }).handleUpgrade(request, socket, head, (spoken) => spoken.close());
  },
  close: async () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
};
const routes = useFixturePerTest(() => new Routes());
beforeEach(() => {
  routes().set('mine', { deployment_id: 'd', workspace_id: 'w', running });
  routes().markReady();
});
useFixturePerTest(() => {
  const { listener, onUpgrade } = createRouter({
    routes: routes(),
    hosts: new ClaimedHosts(ownHosts([])),
    credentials: createCredentials(client()),
    limits: { all: 40, per_deployment: 20 },
  });
  return listen(listener, { socket: join(folder(), 's') }, { drain_ms: 100, onUpgrade });
});

const call = (path: string, { headers }: { readonly headers: Record<string, string> }) =>
  new Promise<void>((resolve, reject) => {
    const sent = httpRequest({ socketPath: join(folder(), 's'), path, headers }, (response) => {
      response.resume().on('end', resolve);
    });
    sent.on('error', reject).end();
  });

test.each([
  ['an auth of its own', { verifies: false, cors: null }, 200],
  ['an app for everybody, and a key that is no good', { verifies: true, cors: null }, 401],
  ['an app for everybody, and a key of another workspace', { verifies: true, cors: null }, 403],
  ['an app for everybody, while identity is away', { verifies: true, cors: null }, 503],
])('when a deployment has %s, then no key of ours reaches it', async (_title, its, status) => {
  [policy, identityStatus] = [its, status];
  const places: Record<string, string>[] = [
    { 'x-api-key': ourKey },
    { authorization: `Bearer ${ourKey}` },
    { authorization: `Basic ${Buffer.from(`ada:${ourKey}`).toString('base64')}` },
    { 'x-api-key': 'rs_chosen_by_the_operator' },
    { 'x-anything': `key=${ourKey}` },
    { 'x-api-key': 'of-the-app', 'langsmith-api-key': ourKey },
  ];
  for (const headers of places)
    await call(`/agents/mine/page?a=1&key=${ourKey}`, { headers: { 'x-team': 'red', ...headers } });
  expect(seen).toHaveLength(places.length);
  for (const request of seen) {
    const got = JSON.stringify([request.url, ...request.headers]);
    expect(got).not.toMatch(/rs_k|rs_chosen|Basic/);
    expect([new URL(request.url).search, request.headers.get('x-team')]).toEqual(['?a=1', 'red']);
  }
});

test('when a caller sends a key of ours beside their own token, then the token goes on alone', async () => {
  policy = { verifies: false, cors: null };
  await call('/agents/mine/page?token=theirs', {
    headers: { authorization: theirToken, 'x-api-key': ourKey },
  });
  const [only] = seen;
  expect([only?.headers.get('authorization'), only?.headers.get('x-api-key')]).toEqual([theirToken, null]);
  expect(only?.url).toContain('?token=theirs');
});

test('when what a key chosen by the operator opens is another workspace, then it goes no further', async () => {
  identityStatus = 403;
  await call('/agents/mine/page', { headers: { 'x-api-key': 'chosen without a form' } });
  expect(seen[0]?.headers.get('x-api-key')).toBeNull();
});

test.each([
  ['its keys count', { verifies: true, cors: null }],
  ['its own auth does', { verifies: false, cors: null }],
])('when a WebSocket is taken up where %s, then no key of ours comes with it', async (_title, its) => {
  policy = its;
  const headers = { 'x-api-key': ourKey, 'x-more': `a ${ourKey}`, authorization: theirToken };
  const socket = new WebSocket(`ws+unix://${join(folder(), 's')}:/agents/mine/chat?a=1&key=${ourKey}`, {
    headers,
  });
  await once(socket, 'close');
  expect(upgraded).toHaveLength(1);
  expect(JSON.stringify(upgraded)).not.toContain(ourKey);
  expect(JSON.stringify(upgraded)).toContain(theirToken);
  expect(JSON.stringify(upgraded)).toContain('?a=1');
});
