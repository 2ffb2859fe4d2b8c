import { expect, test } from 'vitest';
import { ALL_WORKSPACES, type ApiError, type Client, createClient, type Scope } from '@roadstead/contracts';
import { identity as contract } from '@roadstead/contracts/identity';
import { createSigner, createSigningKey, createVerifier } from '@roadstead/http';
import { type Clock, createSecretBox, silentLog, systemClock } from '@roadstead/kit';
import { openDatabase } from '@roadstead/postgres';
import { freshDatabase, useFixturePerTest } from '@roadstead/testing';
import { createEdge } from './credentials/edge.ts';
import { IDENTITY_SCHEMA, startIdentity } from './identity.ts';

const workspace = '22222222-2222-4222-8222-222222222222';
const other = '33333333-3333-4333-8333-333333333333';
const stack = useFixturePerTest(() => new AsyncDisposableStack());

const signing_key_pem = createSigningKey();
const signer = createSigner(signing_key_pem);

async function start(clock: Clock = systemClock) {
  const { url } = stack().use(await freshDatabase());
  const db = stack().use(openDatabase({ url, max: 4, name: 'identity test', schema: IDENTITY_SCHEMA }));
  const service = await startIdentity({
    db,
    log: silentLog,
    signing_key_pem,
    secret_box: createSecretBox(['a secret of sixteen']),
    public_url: 'http://identity',
    outbound: async () => new Response(null, { status: 404 }),
    service_keys: { edge: 'rs_edge', 'control-plane': 'rs_control_plane' },
    default_workspace: { id: workspace, name: 'default' },
    clock,
    check_answers: true,
  });
  stack().use(service);
  await service.ensureKey({ workspace_id: workspace, name: 'first', scopes: ['admin'], key: 'rs_first' });
  const as = (key: string, headers: Record<string, string> = {}) =>
    createClient(contract, {
      base_url: 'http://identity',
      fetch: async (request) =>
        service.served.fetch(
          request,
          await service.edge.inward(new Headers({ 'x-api-key': key, ...headers }), 'identity'),
        ),
    });
  const asService = () =>
    createClient(contract, {
      base_url: 'http://identity',
      fetch: (request) =>
        service.served.fetch(request, {
          assertion: signer.sign(
            { workspace_id: workspace, actor: 'service:test', scopes: ['admin'] },
            'identity',
          ),
        }),
    });
  atItsAddress = (key) =>
    createClient(contract, {
      base_url: 'http://identity',
      headers: { 'x-api-key': key },
      fetch: (request) => service.served.fetch(request),
    });
  return { ...service, db, as, asService };
}

/** A client that calls like our own services, without an edge. */
let atItsAddress: (key: string) => Client<typeof contract>;

test('when a key is made, then its plain text is shown once, and it works until it is revoked', async () => {
  const { as } = await start();
  const made = await as('rs_first').createApiKey({
    body: { name: 'ci', scopes: ['reader', 'agents:invoke'] },
  });
  expect(made.key).toMatch(/^rs_\w{40,}$/);
  await expect(as(made.key).listWorkspaces({})).resolves.toMatchObject({ items: [{ id: workspace }] });
  await expect(as(made.key).listApiKeys({})).rejects.toMatchObject({ status: 403 });
  expect(JSON.stringify(await as('rs_first').listApiKeys({}))).not.toContain(made.key);
  await as('rs_first').deleteApiKey({ params: { key_id: made.id } });
  await expect(as(made.key).listWorkspaces({})).rejects.toMatchObject({ status: 401 });
});

test('when a key makes a key, then it gives away no more than it has', async () => {
  const { as } = await start();
  const { key } = await as('rs_first').createApiKey({
    body: { name: 'hands out keys', scopes: ['keys:admin', 'traces:admin'] },
  });
  const give = (scopes: Scope[]) =>
    as(key).createApiKey({ body: { name: 'given', scopes: scopes as 'reader'[] } });
  await expect(give(['traces:write'])).resolves.toMatchObject({ scopes: ['traces:write'] });
  await expect(give(['traces:read', 'admin', 'deployments:read'])).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining('that it lacks: admin, deployments:read'),
  });
});

test('when a workspace is made, then it comes with the one key that can rename it', async () => {
  const { as, db } = await start();
  const made = await as('rs_first').createWorkspace({ body: { name: 'support' } });
  expect(made.id).not.toBe(workspace);
  expect(await as(made.key).listWorkspaces({})).toMatchObject({ items: [{ id: made.id, name: 'support' }] });
  const rename = (key: string) =>
    as(key).patchWorkspace({ params: { workspace_id: made.id }, body: { name: 'help' } });
  await expect(rename('rs_first')).rejects.toMatchObject({ status: 404 });
  expect(await rename(made.key)).toMatchObject({ id: made.id, name: 'help' });
  const again = as('rs_first').createWorkspace({ body: { id: made.id, name: 'taken' } });
  await expect(again).rejects.toMatchObject({ status: 409 });
  expect(await db.query('select name from workspaces order by name')).toEqual([
    { name: 'default' },
    { name: 'help' },
  ]);
});

test('when a key is made, then the database does not hold its plain text', async () => {
  const { as, db } = await start();
  const made = await as('rs_first').createApiKey({ body: { name: 'ci', scopes: ['reader'] } });
  expect(JSON.stringify(await db.query('select * from api_keys'))).not.toContain(made.key);
});

test('when keys are listed page by page, then the list ends with the last of them', async () => {
  const { as } = await start();
  for (const name of ['a', 'b', 'c'])
    await as('rs_first').createApiKey({ body: { name, scopes: ['reader'] } });
  const names: string[] = [];
  let cursor: string | null = null;
  do {
    const page: { items: { name: string }[]; next_cursor: string | null } = await as('rs_first').listApiKeys({
      query: { page_size: 3, ...(cursor === null ? {} : { cursor }) },
    });
    names.push(...page.items.map((item) => item.name));
    cursor = page.next_cursor;
  } while (cursor !== null);
  expect(names).toEqual(['first', 'a', 'b', 'c']);
});

test.each([
  ['no key', undefined, {}, 401],
  ['an unknown key', 'rs_unknown', {}, 401],
  ['a workspace that the key does not reach', 'rs_first', { 'x-tenant-id': other }, 403],
  ['a workspace that is none', 'rs_first', { 'x-tenant-id': 'nonsense' }, 403],
  ['its own workspace', 'rs_first', { 'x-tenant-id': workspace }, 200],
])(
  'when a request comes with %s, then it is taken or refused accordingly',
  async (_name, key, headers: Record<string, string>, status) => {
    const { served, edge } = await start();
    const inward = await edge.inward(
      new Headers({ ...(key === undefined ? {} : { 'x-api-key': key }), ...headers }),
      'identity',
    );
    expect((await served.fetch(new Request('http://identity/v2/workspaces'), inward)).status).toBe(status);
  },
);

test.each([['x-api-key'], ['service-api-key'], ['langsmith-api-key'], ['authorization']])(
  'when a credential stands in %s, then the edge finds it',
  async (header) => {
    const { edge } = await start();
    const value = header === 'authorization' ? 'Bearer rs_first' : 'rs_first';
    expect(await edge.inward(new Headers({ [header]: value }), 'identity')).toHaveProperty('assertion');
  },
);

test.each(['identity', 'control-plane', 'observability', 'platform'] as const)(
  'when a credential is to be verified for %s, then the edge may ask, and a listener may not',
  async (audience) => {
    const { as, ensureKey } = await start();
    await ensureKey({
      workspace_id: ALL_WORKSPACES,
      name: 'listener',
      scopes: ['listener'],
      key: 'rs_listener',
    });
    const body = { credential: 'rs_first', audience };
    await expect(as('rs_listener').verifyCredential({ body })).rejects.toMatchObject({ status: 403 });
    const { assertion } = await atItsAddress('rs_edge').verifyCredential({ body });
    expect(createVerifier(signer.public_keys, { audience })(assertion)).toMatchObject({
      workspace_id: workspace,
    });
  },
);

test('when a service proves itself by its key, then it gets assertions only for those it calls', async () => {
  await start();
  const body = { audience: 'observability' as const, workspace_id: other };
  const { assertion, expires_at } = await atItsAddress('rs_control_plane').createServiceAssertion({ body });
  expect(createVerifier(signer.public_keys, { audience: 'observability' })(assertion)).toEqual({
    workspace_id: other,
    actor: 'service:control-plane',
    scopes: ['admin'],
  });
  expect(Date.parse(expires_at)).toBeGreaterThan(Date.now());
  const refused = (key: string, more: object = {}) =>
    atItsAddress(key)
      .createServiceAssertion({ body: { ...body, ...more } })
      .then(
        () => 'signed',
        (error: ApiError) => error.status,
      );
  expect(await refused('rs_control_plane', { audience: 'control-plane' })).toBe(403);
  expect(await refused('rs_edge')).toBe(403);
  for (const key of ['rs_first', 'wrong']) expect(await refused(key)).toBe(401);
});

test('when a service’s key is used elsewhere than at identity’s own address, then it is refused', async () => {
  const { edge } = await start();
  for (const key of ['rs_edge', 'rs_control_plane']) {
    const headers = new Headers({ 'x-api-key': key });
    expect(await edge.inward(headers, 'control-plane')).toMatchObject({
      refused: { kind: 'unauthenticated' },
    });
    await expect(
      atItsAddress('rs_edge').verifyCredential({ body: { credential: key, audience: 'identity' } }),
    ).rejects.toMatchObject({ status: 401 });
  }
});

test('when an edge elsewhere verifies a credential, then the assertion is for its audience only', async () => {
  const { as, ensureKey } = await start();
  await ensureKey({
    workspace_id: ALL_WORKSPACES,
    name: 'listener',
    scopes: ['listener'],
    key: 'rs_listener',
  });
  const { assertion } = await as('rs_listener').verifyCredential({
    body: { credential: 'rs_first', audience: 'agent-server' },
  });
  expect(createVerifier(signer.public_keys, { audience: 'agent-server' })(assertion)).toMatchObject({
    workspace_id: workspace,
    scopes: ['admin'],
  });
  expect(createVerifier(signer.public_keys, { audience: 'observability' })(assertion)).toBeUndefined();
  await expect(
    as('rs_listener').verifyCredential({ body: { credential: 'wrong', audience: 'agent-server' } }),
  ).rejects.toMatchObject({ status: 401 });
  await expect(
    as('rs_first').verifyCredential({ body: { credential: 'rs_first', audience: 'agent-server' } }),
  ).rejects.toMatchObject({ status: 403 });
});

test('when ensureKey is given another key of the same name, then it replaces the old one', async () => {
  const { as, ensureKey } = await start();
  await ensureKey({ workspace_id: workspace, name: 'rotated', scopes: ['admin'], key: 'rs_old' });
  await ensureKey({ workspace_id: workspace, name: 'rotated', scopes: ['admin'], key: 'rs_new' });
  await expect(as('rs_new').listWorkspaces({})).resolves.toBeDefined();
  await expect(as('rs_old').listWorkspaces({})).rejects.toMatchObject({ status: 401 });
});

test('when ensureKey is given an earlier key, then it works again, unless somebody revoked it', async () => {
  const { as, ensureKey } = await start();
  const wanted = { workspace_id: workspace, name: 'rotated', scopes: ['admin'] as const };
  for (const key of ['rs_one', 'rs_two', 'rs_one'])
    expect(await ensureKey({ ...wanted, key })).toMatchObject({ revoked: false });
  await expect(as('rs_two').listWorkspaces({})).rejects.toMatchObject({ status: 401 });
  const { id } = await ensureKey({ ...wanted, key: 'rs_one' });
  await as('rs_first').deleteApiKey({ params: { key_id: id } });
  expect(await ensureKey({ ...wanted, key: 'rs_one' })).toMatchObject({ id, revoked: true });
  await expect(as('rs_one').listWorkspaces({})).rejects.toMatchObject({ status: 401 });
});

test('when ensureKey is given no key, then it draws one, and leaves alone what callers made', async () => {
  const { as, ensureKey } = await start();
  const theirs = await as('rs_first').createApiKey({ body: { name: 'rotated', scopes: ['reader'] } });
  const drawn = await ensureKey({ workspace_id: workspace, name: 'rotated', scopes: ['admin'] });
  await ensureKey({ workspace_id: other, name: 'rotated', scopes: ['admin'], key: 'rs_other' });
  for (const key of [theirs.key, drawn.key, 'rs_other'])
    await expect(as(key).listWorkspaces({})).resolves.toBeDefined();
});

test('when a key that was unknown a moment ago is made, then it works at once', async () => {
  const { as, ensureKey } = await start();
  await expect(as('rs_later').listWorkspaces({})).rejects.toMatchObject({ status: 401 });
  await ensureKey({ workspace_id: workspace, name: 'later', scopes: ['admin'], key: 'rs_later' });
  await expect(as('rs_later').listWorkspaces({})).resolves.toBeDefined();
});

test('when another process revokes a key, then it is dead after 5 s; an expired one at once', async () => {
  let now = Date.now();
  const { as, db } = await start({ now: () => now });
  const expires_at = new Date(now + 3000).toISOString();
  const brief = await as('rs_first').createApiKey({
    body: { name: 'brief', scopes: ['reader'], expires_at },
  });
  const lasting = await as('rs_first').createApiKey({ body: { name: 'lasting', scopes: ['reader'] } });
  for (const { key } of [brief, lasting]) await as(key).listWorkspaces({});
  await db.run('update api_keys set revoked_at = now() where id = $1', [lasting.id]);
  now += 4000;
  await expect(as(lasting.key).listWorkspaces({})).resolves.toBeDefined();
  await expect(as(brief.key).listWorkspaces({})).rejects.toMatchObject({ status: 401 });
  now += 2000;
  await expect(as(lasting.key).listWorkspaces({})).rejects.toMatchObject({ status: 401 });
});

test('when a key is known, then its assertion is signed once and used again until it is old', async () => {
  let now = Date.now();
  const { edge } = await start({ now: () => now });
  const headers = new Headers({ 'x-api-key': 'rs_first' });
  const sign = async () => (await edge.inward(headers, 'observability')).assertion;
  const first = await sign();
  now += 4000;
  expect(await sign()).toBe(first);
  now += 2000;
  expect(await sign()).not.toBe(first);
});

test('when the platform’s own listener names a workspace, then it reaches that one, or else all', async () => {
  const { edge, ensureKey } = await start();
  await ensureKey({ workspace_id: ALL_WORKSPACES, name: 'listener', scopes: ['listener'], key: 'rs_every' });
  const verify = createVerifier(signer.public_keys, { audience: 'control-plane' });
  const workspaceOf = async (headers: Record<string, string>) =>
    verify(
      (await edge.inward(new Headers({ 'x-api-key': 'rs_every', ...headers }), 'control-plane')).assertion ??
        '',
    )?.workspace_id;
  expect(await workspaceOf({})).toBe(ALL_WORKSPACES);
  expect(await workspaceOf({ 'x-tenant-id': other.toUpperCase() })).toBe(other);
});

test('when a listener of one workspace verifies a key of another, then it is refused', async () => {
  const { as, ensureKey } = await start();
  await ensureKey({ workspace_id: other, name: 'remote', scopes: ['listener'], key: 'rs_remote' });
  await expect(
    as('rs_remote').verifyCredential({ body: { credential: 'rs_first', audience: 'agent-server' } }),
  ).rejects.toMatchObject({ status: 403 });
});

test('when keys are listed by deployment, then short ones stay hidden and foreign ones untouched', async () => {
  const { as, asService, ensureKey } = await start();
  const deployment_id = '44444444-4444-4444-8444-444444444444';
  const body = { name: 'agent', scopes: ['traces:write' as const], deployment_id };
  const made = await asService().createDeploymentKey({ body });
  const { items } = await as('rs_first').listApiKeys({ query: { deployment_id } });
  expect(items.map((item) => item.id)).toEqual([made.id]);
  expect((await as('rs_first').listApiKeys({})).items[0]?.hint).toBe('rs');
  await ensureKey({ workspace_id: other, name: 'theirs', scopes: ['admin'], key: 'rs_theirs' });
  await expect(as('rs_theirs').deleteApiKey({ params: { key_id: made.id } })).rejects.toMatchObject({
    status: 404,
  });
});

test('when a caller makes a key, then it never passes for a deployment’s own', async () => {
  const { as } = await start();
  const body = {
    name: 'mine',
    scopes: ['traces:write' as const],
    deployment_id: '44444444-4444-4444-8444-444444444444',
  };
  await expect(as('rs_first').createDeploymentKey({ body })).rejects.toMatchObject({ status: 401 });
  expect(await as('rs_first').createApiKey({ body })).toMatchObject({ deployment_id: null });
});

test('when the database is away, then callers are asked to come again', async () => {
  const { edge, db } = await start();
  await db.run('drop table api_keys');
  const headers = new Headers({ 'x-api-key': 'rs_first' });
  await expect(edge.inward(headers, 'identity')).rejects.toThrow('api_keys');
  const away = openDatabase({ url: 'postgres://nobody@127.0.0.1:1/none', max: 1, name: 'away' });
  await using gone = createEdge({
    db: away,
    signer: createSigner(createSigningKey()),
    log: silentLog,
    verifyToken: async () => undefined,
  });
  expect((await gone.inward(headers, 'identity')).refused?.kind).toBe('unavailable');
});
