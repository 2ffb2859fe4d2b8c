import { expect, test } from 'vitest';
import { migrate, openDatabase } from '@roadstead/postgres';
import { freshDatabase } from '@roadstead/testing';
import { IDENTITY_SCHEMA } from '../identity.ts';
import { identityMigrations } from '../identity-migrations.ts';
import { FIRST_KEY, openIdentity, WORKSPACE } from '../testing/identity-fixture.ts';
import { hashOf, insertKey } from '../records/key-store.ts';

test('when a key is made, then it is read, renamed and listed until it expires or is deleted', async () => {
  await using fixture = await openIdentity();
  const admin = fixture.as(FIRST_KEY);
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const body = { name: 'ci', scopes: ['deployments:read' as const], expires_at, subject: 'ada' };
  const { key, ...made } = await admin.createApiKey({ body });
  const params = { key_id: made.id };
  expect(made).toMatchObject({ name: 'ci', expires_at, subject: 'ada', listener_id: null });
  expect(await admin.readApiKey({ params })).toEqual(made);
  expect(await admin.patchApiKey({ params, body: { name: 'builds' } })).toEqual({ ...made, name: 'builds' });
  const pages: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await admin.listApiKeys({
      query: { page_size: 1, ...(cursor === undefined ? {} : { cursor }) },
    });
    pages.push(...page.items.map(({ name }) => name));
    cursor = page.next_cursor;
  }
  expect(pages).toEqual(['first', 'builds']);
  const { principal } = await fixture.service.edge.assert(key, undefined, 'control-plane');
  expect(principal).toMatchObject({ subject: 'ada', scopes: ['deployments:read'] });
  await expect(
    admin.createApiKey({ body: { ...body, expires_at: '2020-01-01T00:00:00+01:00' } }),
  ).rejects.toMatchObject({ status: 400 });
  await fixture.db.run('update api_keys set expires_at = now() where id = $1', [made.id]);
  fixture.service.edge.forget(hashOf(key));
  await expect(fixture.service.edge.assert(key, undefined, 'control-plane')).rejects.toThrow('expired');
  await admin.deleteApiKey({ params });
  await expect(admin.readApiKey({ params })).rejects.toMatchObject({ status: 404 });
  await expect(admin.patchApiKey({ params, body: { name: 'x' } })).rejects.toMatchObject({ status: 404 });
});

test('when a key that an edge knows expires, then the edge refuses it from that moment', async () => {
  let now = Date.now();
  await using fixture = await openIdentity({ now: () => now });
  const expires_at = new Date(now + 3_600_000).toISOString();
  const { key } = await fixture
    .as(FIRST_KEY)
    .createApiKey({ body: { name: 'short', scopes: ['reader'], expires_at } });
  await fixture.service.edge.assert(key, undefined, 'identity');
  now += 3_600_000;
  await expect(fixture.service.edge.assert(key, undefined, 'identity')).rejects.toThrow('expired');
});

test('when a key is a deployment’s own, then the edge names the deployment', async () => {
  await using fixture = await openIdentity();
  const deployment_id = '44444444-4444-4444-8444-444444444444';
  const { key } = await insertKey(fixture.db, {
    workspace_id: WORKSPACE,
    name: 'deployment agent',
    scopes: ['connections:use'],
    deployment_id,
  });
  const principalOf = async (of: string) =>
    (await fixture.service.edge.assert(of, undefined, 'control-plane')).principal;
  expect(await principalOf(key)).toMatchObject({ deployment_id });
  expect(await principalOf(FIRST_KEY)).not.toHaveProperty('deployment_id');
});

test('when keys of deployments are migrated, then only they may use what users connected', async () => {
  await using fresh = await freshDatabase('keys');
  await using db = openDatabase({ url: fresh.url, max: 2, name: 'keys', schema: IDENTITY_SCHEMA });
  const upTo = (id: number) =>
    migrate(db, {
      schema: IDENTITY_SCHEMA,
      migrations: identityMigrations.filter((migration) => migration.id <= id),
    });
  await upTo(4);
  const deployment_id = '44444444-4444-4444-8444-444444444444';
  for (const [name, of] of [
    ['earlier', deployment_id],
    ['of today', deployment_id],
    ['of somebody', null],
  ] as const)
    await insertKey(db, {
      workspace_id: WORKSPACE,
      name,
      scopes: name === 'of today' ? ['traces:write', 'connections:use'] : ['traces:write'],
      deployment_id: of,
    });
  await upTo(5);
  expect(await db.query('select name, scopes from api_keys order by name')).toEqual([
    { name: 'earlier', scopes: ['traces:write', 'connections:use'] },
    { name: 'of somebody', scopes: ['traces:write'] },
    { name: 'of today', scopes: ['traces:write', 'connections:use'] },
  ]);
});

test('when a key acts for a subject, then it makes keys for no other', async () => {
  await using fixture = await openIdentity();
  const body = { name: 'hers', scopes: ['keys:admin' as const], subject: 'ada' };
  const { key } = await fixture.as(FIRST_KEY).createApiKey({ body });
  const hers = fixture.as(key);
  await expect(hers.createApiKey({ body: { ...body, subject: 'bob' } })).rejects.toMatchObject({
    status: 403,
  });
  expect(await hers.createApiKey({ body: { name: 'more', scopes: ['keys:admin'] } })).toMatchObject({
    subject: 'ada',
  });
});
