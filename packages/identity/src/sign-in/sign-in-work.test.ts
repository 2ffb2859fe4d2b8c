import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { FIRST_KEY, openIdentity, WORKSPACE } from '../testing/identity-fixture.ts';
import { hashPassword } from '../users/password.ts';
import { takeAttempt } from './attempt-store.ts';
import type { KnownBrowser } from './session-cookie.ts';
import { type SignInCredentials, signIn } from './sign-in-work.ts';
import { findSubject } from '../records/subject-work.ts';

const identity = useFixturePerTest(openIdentity);

const password = 'eleven quiet herons';
const anna = { name: 'anna', password };
const addAnna = (key = FIRST_KEY) =>
  identity()
    .as(key)
    .createUser({ body: { ...anna, scopes: ['reader'] } });
const attempt = (shown: SignInCredentials, from: { address?: string; browser?: KnownBrowser } = {}) =>
  signIn(identity().db, { shown, address: '192.0.2.1', browser: undefined, ...from }).catch(
    (error: unknown) => error as { kind: string; retry_after_s: number },
  );

test('when somebody shows a key, or a name and password, then they are signed in', async () => {
  const user = await addAnna();
  expect(await attempt({ key: ` ${FIRST_KEY}\n` })).toMatchObject([
    {
      id: expect.stringMatching(/^key:/),
      name: 'API key first',
      scopes: ['admin'],
      workspace: { id: WORKSPACE },
    },
  ]);
  expect(await attempt({ name: ' ANNA ', password })).toMatchObject([
    { id: `user:${user.id}`, scopes: ['reader'], workspace: { id: WORKSPACE, name: 'default' } },
  ]);
  const { items } = await identity().as(FIRST_KEY).listUsers({});
  expect(items[0]?.last_sign_in_at).not.toBeNull();
});

test.each<[string, SignInCredentials]>([
  ['an unknown key', { key: 'rs_nonsense' }],
  ['an unknown name', { name: 'bo', password }],
  ['a wrong password', { name: 'anna', password: 'eleven quiet heron' }],
  ['no password', { name: 'anna', password: '' }],
  ['the key of every workspace’s listener', { key: 'rs_listener' }],
])('when somebody shows %s, then they are not signed in', async (_name, shown) => {
  await addAnna();
  await identity().service.ensureKey({
    workspace_id: '*',
    name: 'l',
    scopes: ['listener'],
    key: 'rs_listener',
  });
  expect(await attempt(shown)).toMatchObject({ kind: 'unauthenticated' });
});

test('when a name and password are the same in several workspaces, then they reach all of those', async () => {
  await addAnna();
  const admin = identity().as(FIRST_KEY);
  const [second, third] = [
    await admin.createWorkspace({ body: { name: 'second' } }),
    await admin.createWorkspace({ body: { name: 'third' } }),
  ];
  await addAnna(second.key);
  await identity()
    .as(third.key)
    .createUser({ body: { name: 'anna', password: 'another one altogether', scopes: ['admin'] } });
  const reached = await attempt(anna);
  expect(Array.isArray(reached) && reached.map(({ workspace }) => workspace.name)).toEqual([
    'default',
    'second',
  ]);
});

test('when a name is in 60 workspaces, then one sign-in reaches all of them', async () => {
  const hash = await hashPassword(password);
  await identity().db.run(
    `insert into users (id, workspace_id, name, password, scopes)
     select gen_random_uuid(), gen_random_uuid()::text, 'anna', $1, '{reader}' from generate_series(1, 60)`,
    [hash],
  );
  expect(await attempt(anna)).toHaveLength(60);
});

test('when a password was hashed by other parameters, then it still opens, and is hashed again', async () => {
  const { id } = await addAnna();
  const weak = await hashPassword(password, { memory: 8192, passes: 1, parallelism: 1 });
  await identity().db.run('update users set password = $1 where id = $2', [weak, id]);
  for (const _time of [1, 2]) expect(await attempt(anna)).toMatchObject([{ id: `user:${id}` }]);
  const { kept } = await identity().db.one<{ kept: string }>('select password as kept from users');
  expect(kept).toContain('m=19456,t=2,p=1');
});

test('when a key or user is deleted, then the subject is gone; a new password changes it', async () => {
  const { id } = await addAnna();
  const admin = identity().as(FIRST_KEY);
  const before = await findSubject(identity().db, `user:${id}`);
  await admin.patchUser({ params: { user_id: id }, body: { password: 'twelve loud herons' } });
  expect((await findSubject(identity().db, `user:${id}`))?.version).toBe((before?.version ?? 0) + 1);
  await admin.deleteUser({ params: { user_id: id } });
  const key = await admin.createApiKey({ body: { name: 'k', scopes: ['reader'] } });
  expect(await findSubject(identity().db, `key:${key.id}`)).toMatchObject({ name: 'API key k' });
  await admin.deleteApiKey({ params: { key_id: key.id } });
  for (const gone of [`user:${id}`, `key:${key.id}`, 'key:nonsense', 'service:edge', ''])
    expect(await findSubject(identity().db, gone)).toBeUndefined();
});

test('when a name has had ten wrong passwords, then it waits, from anywhere and all at once', async () => {
  const { id } = await addAnna();
  const wrong = { name: 'anna', password: 'not the right one' };
  const kinds = await Promise.all(
    Array.from(
      { length: 14 },
      async (_, n) => ((await attempt(wrong, { address: `192.0.2.${n}` })) as { kind: string }).kind,
    ),
  );
  expect(kinds.filter((kind) => kind === 'unauthenticated')).toHaveLength(10);
  expect(await attempt(anna, { address: '198.51.100.1' })).toMatchObject({
    kind: 'limit',
    retry_after_s: expect.toSatisfy((s: number) => s > 0 && s <= 900),
  });
  const known = (of: string) => ({ browser: { device_id: 'known', ids: [of] } });
  expect(await attempt(anna, known(`user:${id}`))).toMatchObject([{ name: 'anna' }]);
  expect(await attempt(anna, known(`user:${crypto.randomUUID()}`))).toMatchObject({ kind: 'limit' });
  await identity().db.run(`update attempts set ends_at = now() - interval '1 second'`);
  expect(await attempt(anna)).toMatchObject([{ name: 'anna' }]);
});

test('when sign-ins succeed, then they do not count', async () => {
  await addAnna();
  for (let n = 0; n < 12; n += 1) expect(await attempt(anna)).toMatchObject([{ name: 'anna' }]);
});

test('when an address guesses keys, then it has to wait, and others do not', async () => {
  for (let n = 0; n < 30; n += 1)
    expect(await attempt({ key: `rs_${n}` })).toMatchObject({ kind: 'unauthenticated' });
  expect(await attempt({ key: FIRST_KEY })).toMatchObject({ kind: 'limit' });
  const reached = await attempt({ key: FIRST_KEY }, { address: '192.0.2.2' });
  const ids = Array.isArray(reached) ? reached.map(({ id }) => id) : [];
  expect(ids).toHaveLength(1);
  expect(await attempt({ key: FIRST_KEY }, { browser: { device_id: 'known', ids } })).toHaveLength(1);
  expect(await attempt({ key: 'rs_guess' }, { browser: { device_id: 'known', ids } })).toMatchObject({
    kind: 'limit',
  });
});

test('when attempts have ended, then they are taken away, so that the table stays small', async () => {
  const take = (n: number) => takeAttempt(identity().db, { bucket: `b${n}`, limit: 1, window_s: 60 });
  for (let n = 0; n < 20; n += 1) await take(n);
  await identity().db.run(`update attempts set ends_at = now() - interval '1 second'`);
  for (let n = 20; n < 31; n += 1) await take(n);
  expect(await identity().db.one('select count(*)::int as n from attempts')).toEqual({ n: 11 });
});
