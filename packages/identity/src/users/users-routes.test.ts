import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import type { Scope } from '@roadstead/contracts';
import { FIRST_KEY, openIdentity, WORKSPACE } from '../testing/identity-fixture.ts';

const identity = useFixturePerTest(openIdentity);

const password = 'eleven quiet herons';
const body = { name: 'Anna', password, scopes: ['reader'] as 'reader'[] };
const keyWith = async (scopes: Scope[]) =>
  identity().as(
    (
      await identity()
        .as(FIRST_KEY)
        .createApiKey({ body: { name: 'k', scopes: scopes as 'reader'[] } })
    ).key,
  );

test('when a user is made, listed, changed and removed, then the password is shown nowhere', async () => {
  const admin = identity().as(FIRST_KEY);
  const made = await admin.createUser({ body });
  expect(made).toMatchObject({
    name: 'anna',
    workspace_id: WORKSPACE,
    scopes: ['reader'],
    last_sign_in_at: null,
    role: 'viewer',
    signs_in_at: null,
  });
  expect((await admin.listUsers({ query: { name: 'ANNA' } })).items).toEqual([made]);
  const params = { user_id: made.id };
  const changed = await admin.patchUser({ params, body: { password: 'twelve loud herons' } });
  expect(Date.parse(changed.password_changed_at)).toBeGreaterThan(Date.parse(made.password_changed_at));
  expect(await admin.patchUser({ params, body: { scopes: ['traces:read'] } })).toEqual({
    ...changed,
    scopes: ['traces:read'],
    role: null,
  });
  const rows = JSON.stringify([made, changed, await identity().db.query('select * from users')]);
  expect(rows).not.toContain('herons');
  await admin.deleteUser({ params });
  expect((await admin.listUsers({})).items).toEqual([]);
  await expect(admin.deleteUser({ params })).rejects.toMatchObject({ status: 404 });
});

test('when a name is taken in a workspace, then it is refused there in any case of letters', async () => {
  const admin = identity().as(FIRST_KEY);
  await admin.createUser({ body });
  await expect(admin.createUser({ body: { ...body, name: 'aNNa' } })).rejects.toMatchObject({ status: 409 });
  const { key } = await admin.createWorkspace({ body: { name: 'another' } });
  await expect(identity().as(key).createUser({ body })).resolves.toMatchObject({ name: 'anna' });
});

test('when a user may do more than a key, then the key neither makes nor changes the user', async () => {
  const limited = await keyWith(['keys:admin', 'traces:read']);
  await expect(limited.createUser({ body: { ...body, scopes: ['traces:read'] } })).resolves.toBeDefined();
  await expect(limited.createUser({ body: { ...body, name: 'bo' } })).rejects.toMatchObject({ status: 403 });
  const above = await identity()
    .as(FIRST_KEY)
    .createUser({ body: { ...body, name: 'root', scopes: ['admin'] } });
  for (const change of [{ password: 'chosen by a lesser key' }, { scopes: ['traces:read' as const] }])
    await expect(limited.patchUser({ params: { user_id: above.id }, body: change })).rejects.toMatchObject({
      status: 403,
    });
});

test.each([
  ['a short password', { password: 'short' }],
  ['a name with a space', { name: 'anna b' }],
  ['the scope of a listener', { scopes: ['listener'] }],
  ['no scope', { scopes: [] }],
])('when a user is made with %s, then it is refused without being repeated', async (_name, wrong: object) => {
  const refused = identity()
    .as(FIRST_KEY)
    .createUser({ body: { ...body, ...wrong } });
  await expect(refused).rejects.toMatchObject({ status: 422 });
  await expect(refused.catch((error: { body: unknown }) => JSON.stringify(error.body))).resolves.not.toMatch(
    /short"|anna b|eleven/,
  );
});
