import { afterEach, expect, test } from 'vitest';
import { ALL_WORKSPACES, createClient, identity as contract } from '@roadstead/contracts';
import { createSigningKey, createVerifier, openDatabase, silentLog } from '@roadstead/kit';
import { freshDatabase } from '../../../test/support/database.ts';
import { IDENTITY_SCHEMA, startIdentity } from './identity.ts';

const workspace = '22222222-2222-4222-8222-222222222222';
const other = '33333333-3333-4333-8333-333333333333';
let stack = new AsyncDisposableStack();
afterEach(async () => {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
});

async function start() {
  const { url } = stack.use(await freshDatabase());
  const db = stack.use(openDatabase({ url, max: 4, name: 'identity test', schema: IDENTITY_SCHEMA }));
  const service = await startIdentity({
    db,
    log: silentLog,
    signing_key_pem: createSigningKey(),
    default_workspace: { id: workspace, name: 'default' },
  });
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
  return { ...service, db, as };
}

test('a key works until it is revoked, and its plain text is shown once', async () => {
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

test('the database holds no plain text of a key', async () => {
  const { as, db } = await start();
  const made = await as('rs_first').createApiKey({ body: { name: 'ci', scopes: ['reader'] } });
  expect(JSON.stringify(await db.query('select * from api_keys'))).not.toContain(made.key);
});

test('the list of keys ends', async () => {
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
])('%s', async (_name, key, headers: Record<string, string>, status) => {
  const { served, edge } = await start();
  const inward = await edge.inward(
    new Headers({ ...(key === undefined ? {} : { 'x-api-key': key }), ...headers }),
    'identity',
  );
  expect((await served.fetch(new Request('http://identity/v2/workspaces'), inward)).status).toBe(status);
});

test.each([['x-api-key'], ['service-api-key'], ['langsmith-api-key'], ['authorization']])(
  'a credential in %s',
  async (header) => {
    const { edge } = await start();
    const value = header === 'authorization' ? 'Bearer rs_first' : 'rs_first';
    expect(await edge.inward(new Headers({ [header]: value }), 'identity')).toHaveProperty('assertion');
  },
);

test('an edge elsewhere gets an assertion for its audience only', async () => {
  const { as, ensureKey, signer } = await start();
  await ensureKey({
    workspace_id: ALL_WORKSPACES,
    name: 'listener',
    scopes: ['listener'],
    key: 'rs_listener',
  });
  const { assertion } = await as('rs_listener').verifyCredential({
    body: { credential: 'rs_first', audience: 'agent-server' },
  });
  expect(createVerifier(signer.public_keys, 'agent-server')(assertion)).toMatchObject({
    workspace_id: workspace,
    scopes: ['admin'],
  });
  expect(createVerifier(signer.public_keys, 'observability')(assertion)).toBeUndefined();
  await expect(
    as('rs_listener').verifyCredential({ body: { credential: 'wrong', audience: 'agent-server' } }),
  ).rejects.toMatchObject({ status: 401 });
  await expect(
    as('rs_first').verifyCredential({ body: { credential: 'rs_first', audience: 'agent-server' } }),
  ).rejects.toMatchObject({ status: 403 });
});

test('ensureKey replaces the key of its name', async () => {
  const { as, ensureKey } = await start();
  await ensureKey({ workspace_id: workspace, name: 'rotated', scopes: ['admin'], key: 'rs_old' });
  await ensureKey({ workspace_id: workspace, name: 'rotated', scopes: ['admin'], key: 'rs_new' });
  await expect(as('rs_new').listWorkspaces({})).resolves.toBeDefined();
  await expect(as('rs_old').listWorkspaces({})).rejects.toMatchObject({ status: 401 });
});
