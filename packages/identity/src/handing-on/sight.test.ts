import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { createClient } from '@roadstead/contracts';
import { identity as contract } from '@roadstead/contracts/identity';
import { openDatabase } from '@roadstead/postgres';
import { IDENTITY_SCHEMA } from '../identity.ts';
import { insertKey } from '../records/key-store.ts';
import { KEY, startIdentityServer, WORKSPACE } from '../oauth/testing/oauth-fixture.ts';
import { openClient } from '../oauth/testing/oauth-flow.ts';
import { isBound, makers, MAKING } from '../testing/makers.ts';

/** What holders see, change and end among unbound things: to a bound holder these do not exist. */

const server = useFixture(startIdentityServer);
const client = useFixture(() => openClient(server()));
const editor = useFixture(() => client().register());
const db = useFixture(() => {
  const { database_url: url } = server();
  return openDatabase({ url, max: 2, name: 'sight', schema: IDENTITY_SCHEMA });
});

let count = 0;
const nameOf = () => `made${(count += 1)}`;
const password = 'eleven quiet herons';
const as = (key: string) => createClient(contract, { base_url: server().url, headers: { 'x-api-key': key } });
const authorize = async (key_id: string) =>
  client().signIn(editor(), { outcome: { subject: `key:${key_id}`, scopes: ['agents:invoke'] } });

const keyWith = (bounds: object) =>
  insertKey(db(), { workspace_id: WORKSPACE, name: nameOf(), scopes: MAKING, ...bounds });
const unboundUser = () =>
  as(KEY).createUser({ body: { name: nameOf(), password, scopes: ['agents:invoke'] } });
async function unboundGrant(): Promise<{ id: string }> {
  const { id } = await keyWith({});
  await authorize(id);
  const { items } = await as(KEY).listGrants({ query: { subject: `key:${id}` } });
  return { id: items[0]?.id ?? '' };
}

/** The unbound things, and the requests for them. */
const asked: Record<string, readonly [() => Promise<{ id: string }>, (key: string, id: string) => unknown]> =
  {
    'reads a key': [() => keyWith({}), (key, key_id) => as(key).readApiKey({ params: { key_id } })],
    'ends a key': [() => keyWith({}), (key, key_id) => as(key).deleteApiKey({ params: { key_id } })],
    'renames a key': [
      () => keyWith({}),
      (key, key_id) => as(key).patchApiKey({ params: { key_id }, body: { name: nameOf() } }),
    ],
    'ends a user': [unboundUser, (key, user_id) => as(key).deleteUser({ params: { user_id } })],
    'sets the password of a user': [
      unboundUser,
      (key, user_id) => as(key).patchUser({ params: { user_id }, body: { password } }),
    ],
    'ends a grant': [unboundGrant, (key, grant_id) => as(key).deleteGrant({ params: { grant_id } })],
  };
const nowhere = '66666666-6666-4666-8666-666666666666';

const answerTo = (ask: unknown) =>
  Promise.resolve(ask).then(
    () => 'done',
    ({ status, message }: { status?: number; message?: string }) => [status, message],
  );
const ENDS = expect.stringMatching(/A key that ends makes and changes only what ends with it/);

const cases = Object.entries(makers).flatMap(([kind, bounds]) =>
  Object.entries(asked).map(([what, [make, ask]]) => [`${kind} ${what}`, bounds, { make, ask }] as const),
);

test.each(cases)(
  'when %s, then what it does not see answers as if it were not there',
  async (title, bounds, how) => {
    const { key } = await keyWith(bounds);
    const missing = await answerTo(how.ask(key, nowhere));
    expect(missing).toEqual([404, expect.stringMatching(/There is no such/)]);
    const found = await answerTo(how.ask(key, (await how.make()).id));
    const mayNotChange = 'expires_at' in bounds && !title.endsWith('reads a key');
    expect(found).toEqual(isBound(bounds) ? missing : mayNotChange ? [403, ENDS] : 'done');
  },
);

test.each(Object.entries(makers))('when %s lists, then it finds what it sees', async (_kind, bounds) => {
  const [own, other, user] = [await keyWith(bounds), await keyWith({}), await unboundUser()];
  for (const { id } of [own, other]) await authorize(id);
  const mine = as(own.key);
  const listed = async (id: string) => {
    const { items } = await mine.listApiKeys({ query: { page_size: 100 } });
    const grants = await mine.listGrants({ query: { subject: `key:${id}` } });
    return [items.some((key) => key.id === id), grants.items.length];
  };
  await db().run('delete from api_keys where id <> all($1) and not managed', [[own.id, other.id]]);
  expect(await listed(own.id)).toEqual([true, 1]);
  expect(await listed(other.id)).toEqual(isBound(bounds) ? [false, 0] : [true, 1]);
  const users = await mine.listUsers({ query: { name: user.name } });
  expect(users.items.length).toBe(isBound(bounds) ? 0 : 1);
});

test.each(Object.entries(makers))(
  'when the subject of a grant gives no access any more, then %s ends what it lists',
  async (_kind, bounds) => {
    const [own, other] = [await keyWith(bounds), await keyWith(bounds)];
    await authorize(other.id);
    await db().run(`update api_keys set expires_at = now() - interval '1 minute' where id = $1`, [other.id]);
    const listed = async () => as(own.key).listGrants({ query: { subject: `key:${other.id}` } });
    const [grant] = (await listed()).items;
    await as(own.key).deleteGrant({ params: { grant_id: grant?.id ?? '' } });
    expect((await listed()).items).toEqual([]);
  },
);

const BOUND = [403, expect.stringMatching(/Only an unbound key/)];
const IS_DEFAULT = [409, expect.stringMatching(/default workspace/)];

test.each(Object.entries(makers))(
  'when %s changes a workspace, then it must be bound to nothing',
  async (_kind, bounds) => {
    const { key } = await keyWith(bounds);
    const params = { workspace_id: WORKSPACE };
    const renamed = await answerTo(as(key).patchWorkspace({ params, body: { name: nameOf() } }));
    const deleted = await answerTo(as(key).deleteWorkspace({ params }));
    expect([renamed, deleted]).toEqual(isBound(bounds) ? [BOUND, BOUND] : ['done', IS_DEFAULT]);
  },
);
