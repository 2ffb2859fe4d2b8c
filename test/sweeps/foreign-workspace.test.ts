import { createHash, randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { addresses, type Endpoint } from '@roadstead/contracts';
import { originServices } from '@roadstead/contracts/services';
import { freshDatabase, useFixture } from '@roadstead/testing';
import { dataHome, startPlatform } from '../support/platform.ts';
import { callPlatform, filled, type Ids, makeThings, of, THREAD } from './things.ts';

/** Two real workspaces: a key of the second asks for everything in the first, by its real ids. */

const THEIRS = {
  workspace_id: '22222222-2222-4222-8222-222222222222',
  key: 'rs_of_another_workspace',
  listener_key: 'rs_of_a_listener_of_another_workspace',
};

const home = useFixture(dataHome);
const own = useFixture(() => freshDatabase('own'));
const traces = useFixture(() => freshDatabase('traces'));
const platform = useFixture(() =>
  startPlatform(home().path, {
    env: { DATABASE_URL: own().url, TRACES_DATABASE_URL: traces().url, ROADSTEAD_PUBLIC_SHARING: 'true' },
  }),
);
beforeAll(async () => {
  await own().db.run(`insert into identity.workspaces (id, name) values ($1, 'another')`, [
    THEIRS.workspace_id,
  ]);
  for (const [key, scope] of [
    [THEIRS.key, 'admin'],
    [THEIRS.listener_key, 'listener'],
  ] as const)
    await own().db.run(
      `insert into identity.api_keys (id, workspace_id, name, hash, hint, scopes)
       values ($1, $2, 'another', $3, 'rs_', $4)`,
      [randomUUID(), THEIRS.workspace_id, createHash('sha256').update(key).digest(), [scope]],
    );
});

const call = (path: string, init: RequestInit & { key?: string } = {}) =>
  callPlatform(platform(), path, init);
const things = () => makeThings(platform());

/** What the first workspace sees of its things; that a key was used is no change. */
async function snapshot(ids: Ids): Promise<string[]> {
  const [deployment, session] = [of(ids, 'deployment_id'), of(ids, 'session_id')];
  const paths = [
    `/v2/deployments/${deployment}`,
    `/v2/deployments/${deployment}/revisions`,
    `/v2/events?deployment_id=${deployment}`,
    '/v2/api-keys',
    `/sessions/${session}`,
    `/runs/${of(ids, 'run_id')}`,
    `/v2/threads/${THREAD}/traces?project_id=${session}`,
    `/datasets/${of(ids, 'dataset_id')}`,
    `/examples/${of(ids, 'example_id')}`,
  ];
  const answers = await Promise.all(paths.map((path) => call(path)));
  expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
  return answers.map(({ text }) => text.replaceAll(/"last_used_at":("[^"]*"|null)/g, ''));
}

/** What is no 404, and why. */
const otherwise: Readonly<Record<string, readonly [status: number, why: string]>> = {
  waitForAuth: [200, 'clients know by its status that there is no such flow'],
  listAgentConnections: [200, 'an agent is a name that anybody may use: the list is empty'],
  finishAuth: [400, 'a state that nobody has is no way to find out about others’ providers'],
  patchRun: [202, 'a part may come before its run: it is one of the caller’s own'],
};
/** What a host elsewhere would answer; the integration of the sweep is of a kind that has none to ask. */
const asksHosts = [
  'listGitRepositories',
  'listGithubRepositories',
  'listForgeRepositories',
  'listRepositories',
];
/** What an address must ask for beside its path. */
const queries: Readonly<Record<string, string>> = {
  listThreadTraces: '?project_id={session_id}',
  readThreadShare: '?project_id={session_id}',
  unshareThread: '?project_id={session_id}',
  readThreadStats: '?session_id={session_id}&selects=TURNS',
  readThreadMessages: '?session_id={session_id}',
  listQueueItems: '?status=needs_my_review',
  countQueueItems: '?status=archived',
  waitForAuth: '?timeout=0',
  compareDatasetVersions: '?from_version=latest&to_version=latest',
};

/** Every address that is built and names something by its id. */
const named = Object.values(originServices as Record<string, Record<string, Endpoint>>).flatMap((contract) =>
  Object.entries(contract)
    .filter(([, one]) => one.refused !== true && one.auth === 'key')
    .filter(([, { path }]) => /_id\}/.test(path))
    .flatMap(([operation, endpoint]) =>
      addresses(endpoint).map((address) => ({
        operation,
        endpoint,
        address: address + (queries[operation] ?? ''),
      })),
    ),
);

const swept = named.filter(({ endpoint }) => endpoint.access !== 'listener');

test('when a key names what another workspace has, then it reads, changes and removes nothing', async () => {
  const ids = await things();
  const before = await snapshot(ids);
  const reads = swept.filter(({ endpoint }) => endpoint.method === 'GET');
  for (const { operation, address } of reads) {
    const path = filled(address, ids);
    const status = asksHosts.includes(operation) ? 400 : 200;
    expect([(await call(path)).status, path]).toEqual([status, path]);
  }
  // A part of a run comes last: it makes one of the caller's own, which it may read and change then.
  const others = swept.filter(({ operation }) => operation !== 'patchRun');
  for (const { operation, endpoint, address } of new Set([...reads, ...others, ...swept])) {
    const { method } = endpoint;
    const path = filled(address, ids);
    const init = {
      method,
      key: THEIRS.key,
      // As good a body as any, so that the id is all that is wrong.
      ...(method === 'GET' || method === 'DELETE'
        ? {}
        : { body: JSON.stringify(endpoint.example?.body ?? {}) }),
    };
    const answer = await call(path, init);
    const [status] = otherwise[operation] ?? [404];
    expect([answer.status, `${method} ${path}`]).toEqual([status, `${method} ${path}`]);
    expect(answer.text).not.toContain('4711');
    const inItsName = await call(path, { ...init, headers: { 'x-tenant-id': of(ids, 'workspace_id') } });
    expect([inItsName.status, `${method} ${path}`]).toEqual([403, `${method} ${path}`]);
  }
  expect(reads.length).toBeGreaterThan(15);
  expect(swept.length).toBeGreaterThan(40);
  expect(await snapshot(ids)).toEqual(before);
});

test('when a call names another workspace’s things in a list, query or run, then none is touched', async () => {
  const ids = await things();
  const before = await snapshot(ids);
  const [deployment_id, session_id, run_id] = [
    of(ids, 'deployment_id'),
    of(ids, 'session_id'),
    of(ids, 'run_id'),
  ];
  const post = (path: string, body: object, method = 'POST') => ({
    path,
    method,
    body: JSON.stringify(body),
  });
  const part = { trace_id: run_id, dotted_order: `20260101T000000000000Z${run_id}` };
  const asked: { path: string; method?: string; body?: string }[] = [
    { path: '/v2/deployments' },
    { path: `/v2/deployments?deployment_ids=${deployment_id}` },
    { path: '/v2/events' },
    { path: `/v2/events?deployment_id=${deployment_id}` },
    { path: '/v2/api-keys' },
    { path: `/v2/api-keys?deployment_id=${deployment_id}` },
    { path: '/sessions' },
    { path: `/sessions?id=${session_id}` },
    post('/runs/query', { session: [session_id] }),
    post('/runs/query', { id: [run_id] }),
    post('/runs/query', { trace: run_id }),
    post(
      `/runs/${run_id}`,
      { ...part, outputs: { text: 'theirs' }, end_time: '2026-01-01T00:00:01Z' },
      'PATCH',
    ),
    post('/runs', {
      ...part,
      id: run_id,
      name: 'theirs',
      run_type: 'chain',
      start_time: '2026-01-01T00:00:00Z',
    }),
    post('/runs', {
      id: randomUUID(),
      session_id,
      name: 'theirs',
      run_type: 'chain',
      start_time: '2026-01-01T00:00:00Z',
    }),
  ];
  for (const { path, ...init } of asked) {
    const answer = await call(path, { ...init, key: THEIRS.key });
    expect([answer.status < 500, path, init.body]).toEqual([true, path, init.body]);
    expect(answer.text).not.toContain('4711');
  }
  expect(await snapshot(ids)).toEqual(before);
});

test('when a listener is of another workspace, then it hears nothing and its reports are refused', async () => {
  const ids = await things();
  const before = await snapshot(ids);
  const revision_id = of(ids, 'revision_id');
  const asks: Readonly<Record<string, string>> = {
    readEnvironment: `?revision_id=${revision_id}&fence=1`,
    readSourceCredentials: '?fence=1',
  };
  const told = { reason: null, artifact: null, manifest: null, url: null };
  const says: Readonly<Record<string, object>> = {
    observe: {
      ...told,
      revision_id,
      generation: 1,
      fence: 1,
      phase: 'switch',
      outcome: 'done',
      database_ready: true,
      hosts: 1,
    },
    reportHead: { fence: 1, ref: 'main', commit_sha: null, problem: null },
    handOver: { fence: 1, instance: 'one', step: 'prepared' },
    appendLogs: { fence: 1, revision_id, kind: 'build', writer: 'w', seq: 0, lines: [] },
  };
  const words = named.filter(({ endpoint }) => endpoint.access === 'listener');
  for (const { operation, endpoint, address } of words) {
    const path = filled(address, ids) + (asks[operation] ?? '');
    const body = says[operation] === undefined ? {} : { body: JSON.stringify(says[operation]) };
    const init = { method: endpoint.method, ...body };
    expect([(await call(path, { ...init, key: THEIRS.listener_key })).status, path]).toEqual([404, path]);
    expect([(await call(path, { ...init, key: THEIRS.key })).status, path]).toEqual([403, path]);
  }
  expect(words.length).toBeGreaterThan(3);
  expect(await snapshot(ids)).toEqual(before);
});
