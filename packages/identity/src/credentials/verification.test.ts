import { expect, test } from 'vitest';
import { ALL_WORKSPACES, type ApiError } from '@roadstead/contracts';
import { createSigner, createSigningKey, createVerifier } from '@roadstead/http';
import { silentLog } from '@roadstead/kit';
import { openDatabase } from '@roadstead/postgres';
import { createEdge } from './edge.ts';
import { other, signer, useIdentity, workspace } from '../testing/started-identity.ts';

const { start, atItsAddress } = useIdentity();

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
