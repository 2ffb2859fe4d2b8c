import { expect, test } from 'vitest';
import type { Scope } from '@roadstead/contracts';
import { other, useIdentity, workspace } from '../testing/started-identity.ts';

const { start } = useIdentity();

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
