import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { useFixture } from '@roadstead/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { type AgentLanguage, has_python, languages, needsLanguage } from '../support/languages.ts';
import { askForTokens, authorization, consent, register, Person } from '@roadstead/testing/oauth';
import { type FreshDatabase, freshDatabase } from '@roadstead/testing';
import {
  answerOf,
  dataHome,
  freePort,
  processesOf,
  runCommand,
  type SentTask,
  userMessage,
} from '../support/platform.ts';

/** Each service in a process of its own, against one Postgres: what one command does on a laptop. */

const root = fileURLToPath(new URL('../../', import.meta.url));
const names = ['identity', 'observability', 'mcp-server', 'control-plane', 'data-plane', 'edge'] as const;
type Name = (typeof names)[number];
const children = new Map<Name, ChildProcess>();
const secret = (name: string) => `rs_${name}_${crypto.randomUUID()}`;
/** The environment of each process but for its settings. */
const surroundings = () => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home().path,
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
});

const key = secret('first');
const listener_key = secret('listener');

const home = useFixture(dataHome);
const own = useFixture(() => freshDatabase('own'));
const traces = useFixture(() => freshDatabase('traces'));
const ports = useFixture(
  async () =>
    Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, String(await freePort())])),
    ) as Record<Name, string>,
);
const addressOf = (name: Name) => `http://127.0.0.1:${ports()[name]}`;
const url = () => addressOf('edge');
const env = useFixture(() => environments(own(), traces()));
useFixture(() => ({
  [Symbol.asyncDispose]: async () => void (await Promise.all([...children.keys()].map(stop))),
}));
beforeAll(async () => {
  for (const name of names) await start(name);
});

/** The environment of each process: an address and a key of those that it calls, and nothing else. */
async function environments(
  own_database: FreshDatabase,
  traces_database: FreshDatabase,
): Promise<Record<Name, Record<string, string>>> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const signing_key = join(home().path, 'signing-key.pem');
  await writeFile(signing_key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  const ids = { ROADSTEAD_LISTENER_ID: crypto.randomUUID() };
  const ROADSTEAD_IDENTITY_URL = addressOf('identity');
  const ROADSTEAD_OBSERVABILITY_URL = addressOf('observability');
  const ROADSTEAD_DATA_PLANE_SOCKET = join(home().path, 'agents');
  const [edge, control_plane, observability] = [secret('edge'), secret('control'), secret('observability')];
  return {
    identity: {
      PORT: ports().identity,
      DATABASE_URL: own_database.url,
      ROADSTEAD_SIGNING_KEY_FILE: signing_key,
      ROADSTEAD_URL: url(),
      ROADSTEAD_SECRET_KEY: secret('identity'),
      ROADSTEAD_WORKSPACE_ID: crypto.randomUUID(),
      ROADSTEAD_API_KEY: key,
      ROADSTEAD_EDGE_KEY: edge,
      ROADSTEAD_CONTROL_PLANE_KEY: control_plane,
      ROADSTEAD_OBSERVABILITY_KEY: observability,
      ROADSTEAD_LISTENER_KEY: listener_key,
    },
    observability: {
      PORT: ports().observability,
      TRACES_DATABASE_URL: traces_database.url,
      ROADSTEAD_IDENTITY_URL,
      ROADSTEAD_DATA_DIR: join(home().path, 'observability'),
      ROADSTEAD_URL: url(),
      ROADSTEAD_OBSERVABILITY_KEY: observability,
      ROADSTEAD_SECRET_KEY: secret('sealing'),
    },
    'mcp-server': { PORT: ports()['mcp-server'], ROADSTEAD_URL: url(), ROADSTEAD_IDENTITY_URL },
    'control-plane': {
      ...ids,
      PORT: ports()['control-plane'],
      DATABASE_URL: own_database.url,
      ROADSTEAD_DATA_DIR: join(home().path, 'control-plane'),
      ROADSTEAD_URL: url(),
      ROADSTEAD_IDENTITY_URL,
      ROADSTEAD_OBSERVABILITY_URL,
      ROADSTEAD_CONTROL_PLANE_KEY: control_plane,
      ROADSTEAD_SECRET_KEY: secret('sealing'),
      ROADSTEAD_ADDRESS_SECRET: secret('addresses'),
    },
    'data-plane': {
      ...ids,
      ROADSTEAD_DATA_PLANE_SOCKET,
      ROADSTEAD_CONTROL_URL: url(),
      ROADSTEAD_LISTENER_KEY: listener_key,
      ROADSTEAD_DATA_DIR: join(home().path, 'data-plane'),
      ROADSTEAD_AGENTS_DATABASE_URL: own_database.admin_url,
      ROADSTEAD_AGENT_URL: `${url()}/agents/{slug}`,
    },
    edge: {
      PORT: ports().edge,
      ROADSTEAD_URL: url(),
      ROADSTEAD_IDENTITY_URL,
      ROADSTEAD_CONTROL_PLANE_URL: addressOf('control-plane'),
      ROADSTEAD_OBSERVABILITY_URL,
      ROADSTEAD_MCP_SERVER_URL: addressOf('mcp-server'),
      ROADSTEAD_DATA_PLANE_SOCKET,
      ROADSTEAD_EDGE_KEY: edge,
    },
  };
}

const commandOf = (name: Name) =>
  name === 'edge'
    ? [join(root, 'packages', 'cli', 'src', 'main.ts'), 'serve', 'edge']
    : [join(root, 'packages', name, 'src', 'main.ts')];

async function start(name: Name): Promise<void> {
  const child = spawn(process.execPath, commandOf(name), {
    env: { ...surroundings(), ...env()[name] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.set(name, child);
  let output = '';
  await new Promise<void>((ready, fail) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes: Buffer) => {
        output += bytes.toString();
        if (output.includes('"ready":true')) ready();
      });
    child.once('exit', (code) => fail(new Error(`${name} ended with ${code}: ${output}`)));
  });
}

/** SIGTERM, and its exit code. */
function stop(name: Name): Promise<number | null> {
  const child = children.get(name);
  if (child === undefined || child.exitCode !== null) return Promise.resolve(child?.exitCode ?? null);
  const ended = new Promise<number | null>((done) => child.once('exit', done));
  child.kill('SIGTERM');
  return ended;
}

/** A lease runs out, and all that another data plane needs is fetched, on the slowest machine. */
const TAKEN_OVER_MS = 300_000;

/** An agent in each language. */
const agents: Readonly<Record<AgentLanguage, { readonly name: string; readonly folder: string }>> = {
  javascript: { name: 'support-agent', folder: join(root, 'examples', 'support-agent') },
  python: { name: 'counting', folder: join(root, 'test', 'agents', 'python') },
};

const ask = (path: string, init: RequestInit & { key?: string } = {}) =>
  fetch(url() + path, { ...init, headers: { 'x-api-key': init.key ?? key, ...(init.headers as object) } });

const health = async () => {
  const answer = await fetch(`${url()}/ok`);
  return [answer.status, await answer.json()] as const;
};

test('when every service behind it is ready, then the edge warns of nothing', async () => {
  await expect.poll(health).toEqual([200, { ok: true, warnings: [] }]);
});

test.for(languages)(
  'when the command line deploys an agent in %s, then it answers, and MCP reads its trace',
  { timeout: 180_000 },
  async (language, context) => {
    needsLanguage(language, context);
    const { name, folder } = agents[language];
    const deployed = await runCommand(
      ['deploy', folder, '--name', name, '--url', url(), '--api-key', key],
      surroundings(),
    );
    expect(deployed).toMatchObject({ code: 0 });
    const sent = await ask(`/agents/${name}/a2a/agent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: '1',
        method: 'message/send',
        params: userMessage('My name is Ada'),
      }),
    });
    const { result } = (await sent.json()) as { result: SentTask };
    expect(answerOf(result)).toContain('Ada');
    const client = new McpClient({ name: 'story', version: '1' });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${url()}/mcp`), {
        requestInit: { headers: { 'SERVICE-API-KEY': key } },
      }),
    );
    const history = async () =>
      JSON.stringify(
        await client.callTool({
          name: 'get_thread_history',
          arguments: { thread_id: result.contextId, project_name: name, page_number: 1 },
        }),
      );
    await expect.poll(history).toContain('My name is Ada');
    await client.close();
  },
);

describe('the edge verifies once', () => {
  test.each([
    ['a bad key', 'nobody-has-this', {}, 401, 'unknown, revoked or expired'],
    ['a workspace out of reach', key, { 'x-tenant-id': crypto.randomUUID() }, 403, 'does not reach'],
  ])(
    'when there is %s, then it is refused in the words of identity',
    async (_what, bad, headers, status, words) => {
      for (const path of ['/v2/deployments', '/sessions', '/v2/workspaces']) {
        const answer = await ask(path, { key: bad, headers });
        expect([path, answer.status, await answer.text()]).toEqual([
          path,
          status,
          expect.stringContaining(words),
        ]);
      }
    },
  );

  test('when somebody outside brings an assertion or a service’s key, then it opens nothing', async () => {
    const { ROADSTEAD_EDGE_KEY = '', ROADSTEAD_IDENTITY_URL = '' } = env().edge;
    const signed = await fetch(`${ROADSTEAD_IDENTITY_URL}/v2/api-keys/verify`, {
      method: 'POST',
      headers: { 'x-api-key': ROADSTEAD_EDGE_KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ credential: key, audience: 'control-plane' }),
    });
    const { assertion } = (await signed.json()) as { assertion: string };
    const good = { 'x-roadstead-assertion': assertion };
    const behind = env().edge['ROADSTEAD_CONTROL_PLANE_URL'] ?? '';
    expect((await fetch(`${behind}/v2/deployments`, { headers: good })).status).toBe(200);
    expect((await fetch(`${url()}/v2/deployments`, { headers: good })).status).toBe(401);
    expect((await fetch(`${behind}/v2/deployments`, { headers: { 'x-api-key': key } })).status).toBe(401);
    for (const service of [ROADSTEAD_EDGE_KEY, env().identity['ROADSTEAD_CONTROL_PLANE_KEY'] ?? ''])
      expect((await ask('/v2/workspaces', { key: service })).status).toBe(401);
  });
});

test('when a service is away, then that is said, and its return is seen', async () => {
  expect(await stop('observability')).toBe(0);
  expect(await (await ask('/sessions')).json()).toMatchObject({
    detail: expect.stringMatching(/observability/),
  });
  const warning = 'The service observability is not ready; what it serves answers 503.';
  expect(await health()).toEqual([200, { ok: true, warnings: [warning] }]);
  expect((await ask('/v2/deployments')).status).toBe(200);
  await start('observability');
  expect((await ask('/sessions')).status).toBe(200);
  expect(await (await ask('/metrics')).text()).toMatch(
    /roadstead_requests_total{service="observability",operation="passed on",status="200"} [1-9]/,
  );
});

test('when somebody authorizes an application through the edge, then it may call until revoked', async () => {
  const redirect_uri = 'http://127.0.0.1:53122/callback';
  const { client_id } = await register(url(), { redirect_uris: [redirect_uri] });
  const { address, verifier } = authorization(url(), { client_id, redirect_uri });
  const called = await consent(new Person(), { address, credential: { key } });
  const code = called.searchParams.get('code') ?? '';
  const { body } = await askForTokens(url(), {
    grant_type: 'authorization_code',
    client_id,
    redirect_uri,
    code,
    code_verifier: verifier,
  });
  const statusOf = async () => (await ask('/sessions', { key: body.access_token })).status;
  expect(await statusOf()).toBe(200);
  const stranger = await fetch(`${url()}/mcp`, { method: 'POST', body: '{}' });
  expect(stranger.headers.get('www-authenticate')).toContain(
    `${url()}/.well-known/oauth-protected-resource/mcp`,
  );
  expect(await stop('identity')).toBe(0);
  for (const path of ['/oauth/authorize', '/.well-known/oauth-authorization-server']) {
    const away = await fetch(url() + path);
    expect([away.status, await away.text()]).toEqual([503, expect.stringMatching(/identity/)]);
  }
  await start('identity');
  expect(await statusOf()).toBe(200);
  const revoked = new URLSearchParams({ client_id, token: body.access_token });
  expect((await fetch(`${url()}/oauth/revoke`, { method: 'POST', body: revoked })).status).toBe(200);
  await expect.poll(statusOf, { interval: 1000 }).toBe(401);
});

test('when identity has a new signing key, then others take it up without a restart', async () => {
  const made = await ask('/v2/api-keys', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'fresh', scopes: ['reader'] }),
  });
  const fresh = (await made.json()) as { key: string };
  expect(await stop('identity')).toBe(0);
  const unverified = await ask('/sessions', { key: fresh.key });
  expect([unverified.status, unverified.headers.get('retry-after')]).toEqual([503, '1']);
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  await writeFile(env().identity['ROADSTEAD_SIGNING_KEY_FILE'] ?? '', pem);
  await start('identity');
  // Never used before, so it is vouched for by the new key.
  const asked = async () => (await ask('/v2/deployments', { key: fresh.key })).status;
  await expect.poll(asked, { timeout: 60_000 }).toBe(200);
});

test(
  'when a data plane is frozen, then another takes over, and the first is refused',
  async () => {
    const json = { 'content-type': 'application/json' };
    const served = languages.filter((language) => language !== 'python' || has_python);
    const begun = await Promise.all(
      served.map(async (language) => {
        const { name } = agents[language];
        const post = async (path: string, body: object) => {
          const sent = { method: 'POST', headers: json, body: JSON.stringify(body) };
          const answer = await ask(`/agents/${name}${path}`, sent);
          expect([answer.status, await answer.clone().text()]).toEqual([200, expect.anything()]);
          return answer.json();
        };
        const { thread_id } = (await post('/threads', {})) as { thread_id: string };
        const input = { messages: [{ role: 'user', content: 'My name is Grace' }] };
        const run = { assistant_id: 'agent', input, after_seconds: 5 };
        const { run_id } = (await post(`/threads/${thread_id}/runs`, run)) as { run_id: string };
        return { thread: `/agents/${name}/threads/${thread_id}`, run_id };
      }),
    );
    const frozen = children.get('data-plane');
    frozen?.kill('SIGSTOP');
    const socket = join(home().path, 'agents-2');
    env()['data-plane'] = {
      ...env()['data-plane'],
      ROADSTEAD_DATA_DIR: join(home().path, 'data-plane-2'),
      ROADSTEAD_DATA_PLANE_SOCKET: socket,
    };
    env().edge = { ...env().edge, ROADSTEAD_DATA_PLANE_SOCKET: socket };
    await start('data-plane');
    expect(await stop('edge')).toBe(0);
    await start('edge');
    const statusOf = async ({ thread, run_id }: (typeof begun)[number]) => {
      const read = await ask(`${thread}/runs/${run_id}`);
      return read.status === 200 ? ((await read.json()) as { status: string }).status : await read.text();
    };
    try {
      for (const one of begun)
        await expect.poll(() => statusOf(one), { timeout: TAKEN_OVER_MS, interval: 500 }).toBe('success');
    } finally {
      frozen?.kill('SIGCONT');
      const ended = new Promise<number | null>((done) => frozen?.once('exit', done));
      frozen?.kill('SIGTERM');
      await ended;
    }
    for (const one of begun) {
      const state = await (await ask(`${one.thread}/state`)).json();
      const { messages } = (state as { values: { messages: { type: string }[] } }).values;
      expect(messages.map(({ type }) => type)).toEqual(['human', 'ai']);
      expect(await statusOf(one)).toBe('success');
    }
  },
  2 * TAKEN_OVER_MS,
);

test.each(names)('when %s is asked for help, then it tells its settings', async (name) => {
  const child = spawn(process.execPath, [...commandOf(name), name === 'edge' ? '--settings' : '--help']);
  let said = '';
  child.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()));
  expect(await new Promise((done) => child.once('close', done))).toBe(0);
  for (const variable of Object.keys(env()[name])) expect(said).toContain(variable.replace(/_FILE$/, ''));
});

test('when SIGTERM comes, then each ends and leaves no process', async () => {
  for (const name of names.toReversed()) expect([name, await stop(name)]).toEqual([name, 0]);
  await expect.poll(() => processesOf(home().path)).toEqual([]);
});
