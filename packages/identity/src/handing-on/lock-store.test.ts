import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { createClient } from '@roadstead/contracts';
import { identity as contract } from '@roadstead/contracts/identity';
import { openDatabase, type Transaction } from '@roadstead/postgres';
import { IDENTITY_SCHEMA } from '../identity.ts';
import { insertKey } from '../records/key-store.ts';
import { KEY, startIdentityServer, WORKSPACE } from '../oauth/testing/oauth-fixture.ts';
import { openClient } from '../oauth/testing/oauth-flow.ts';
import { MAKING } from '../testing/makers.ts';
import { begetting, ways } from './handing-on-rules.ts';

/** A caller whose credential ends while they make, change or end something does none of it. */

const server = useFixture(startIdentityServer);
const client = useFixture(() => openClient(server()));
const editor = useFixture(() => client().register());
const db = useFixture(() => {
  const { database_url: url } = server();
  return openDatabase({ url, max: 3, name: 'locks', schema: IDENTITY_SCHEMA });
});

let count = 0;
const nameOf = () => `made${(count += 1)}`;
const password = 'eleven quiet herons';
const as = (key: string) => createClient(contract, { base_url: server().url, headers: { 'x-api-key': key } });
const keyWith = (scopes = MAKING) => insertKey(db(), { workspace_id: WORKSPACE, name: nameOf(), scopes });
const userWith = (scopes: ('agents:invoke' | 'traces:read')[]) =>
  as(KEY).createUser({ body: { name: nameOf(), password, scopes } });
const authorize = (subject: string) =>
  client().signIn(editor(), { outcome: { subject, scopes: ['agents:invoke'] } });
async function grantOf(subject: string): Promise<string> {
  await authorize(subject);
  return (await as(KEY).listGrants({ query: { subject } })).items[0]?.id ?? '';
}

interface Race {
  /** The write for which the change waits. */
  readonly meanwhile: (tx: Transaction) => Promise<unknown>;
  readonly change: () => Promise<unknown>;
}

/** The answer of a change that meets an uncommitted write which decides about it. */
async function answerAfter({ meanwhile, change }: Race): Promise<unknown> {
  let answer: unknown;
  const asked = await db().transaction(async (tx) => {
    await meanwhile(tx);
    const running = change().then(
      () => (answer = 'done'),
      (error: { status?: number; kind?: string }) => (answer = error.status ?? error.kind),
    );
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    // Asked outside of the transaction, which sees the waiting sessions of its beginning only.
    await expect.poll(async () => answer ?? (await db().query(waiting)).length).not.toBe(0);
    expect(answer, 'it did not wait').toBeUndefined();
    return { running };
  });
  await asked.running;
  return answer;
}

interface Maker {
  readonly id: string;
  readonly key: string;
}

/** Each request that creates or changes a credential, and its subject. */
const changes: Partial<Record<keyof typeof begetting, (maker: Maker) => Promise<() => Promise<unknown>>>> = {
  createApiKey:
    async ({ key }) =>
    () =>
      as(key).createApiKey({ body: { name: nameOf(), scopes: ['agents:invoke'] } }),
  createUser:
    async ({ key }) =>
    () =>
      as(key).createUser({ body: { name: nameOf(), password, scopes: ['agents:invoke'] } }),
  createWorkspace:
    async ({ key }) =>
    () =>
      as(key).createWorkspace({ body: { name: nameOf() } }),
  createWorkspaceFor:
    async ({ id }) =>
    () =>
      server()
        .asService('observability')
        .createWorkspaceFor({ body: { name: nameOf(), actor: `key:${id}` } }),
  createListenerKey:
    async ({ id }) =>
    () =>
      server()
        .asService('control-plane')
        .createListenerKey({
          body: { name: nameOf(), listener_id: crypto.randomUUID(), actor: `key:${id}` },
        }),
  createSignInLink:
    async ({ key }) =>
    () =>
      as(key).createSignInLink({}),
  submitConsentPage:
    async ({ id }) =>
    () =>
      authorize(`key:${id}`),
  patchUser: async ({ key }) => {
    const { id: user_id } = await userWith(['agents:invoke']);
    return () => as(key).patchUser({ params: { user_id }, body: { password } });
  },
  deleteUser: async ({ key }) => {
    const { id: user_id } = await userWith(['agents:invoke']);
    return () => as(key).deleteUser({ params: { user_id } });
  },
  patchApiKey: async ({ key }) => {
    const { id: key_id } = await keyWith();
    return () => as(key).patchApiKey({ params: { key_id }, body: { name: nameOf() } });
  },
  deleteApiKey: async ({ key }) => {
    const { id: key_id } = await keyWith();
    return () => as(key).deleteApiKey({ params: { key_id } });
  },
  deleteGrant: async ({ key }) => {
    const grant_id = await grantOf(`key:${(await keyWith()).id}`);
    return () => as(key).deleteGrant({ params: { grant_id } });
  },
};

test.each(Object.entries(changes))(
  'when its maker is ended meanwhile, then %s does nothing',
  async (_name, of) => {
    const maker = await keyWith();
    const change = await of(maker);
    await as(maker.key).listApiKeys({});
    const meanwhile = (tx: Transaction) =>
      tx.run('update api_keys set revoked_at = now() where id = $1', [maker.id]);
    expect(await answerAfter({ meanwhile, change })).toSatisfy((answer) =>
      [401, 'unauthenticated'].includes(answer as string),
    );
  },
);

test('when all races have run, then every way of handing on and every change was among them', () => {
  const raced = new Set(Object.keys(changes).map((name) => begetting[name as keyof typeof begetting]));
  expect(Object.keys(ways).filter((way) => !raced.has(way as keyof typeof ways))).toEqual([]);
});

test('when a user may do less meanwhile, then no application is authorized for more', async () => {
  const { id } = await userWith(['agents:invoke', 'traces:read']);
  const meanwhile = (tx: Transaction) =>
    tx.run(`update users set scopes = '{traces:read}' where id = $1`, [id]);
  expect(await answerAfter({ meanwhile, change: () => authorize(`user:${id}`) })).toBe('forbidden');
});

test('when a user may do more meanwhile, then a caller that may not sets no password of theirs', async () => {
  const { id: user_id } = await userWith(['agents:invoke']);
  const { key } = await keyWith();
  const meanwhile = (tx: Transaction) =>
    tx.run(`update users set scopes = '{admin}' where id = $1`, [user_id]);
  const change = () => as(key).patchUser({ params: { user_id }, body: { password } });
  expect(await answerAfter({ meanwhile, change })).toBe(403);
});

test.each(['deleteApiKey', 'patchApiKey'] as const)(
  'when a key is bound to somebody meanwhile, then a caller bound to another has no %s of it',
  async (name) => {
    const { id: key_id } = await insertKey(db(), {
      workspace_id: WORKSPACE,
      name: nameOf(),
      scopes: [],
      subject: 'u1',
    });
    const { key } = await insertKey(db(), {
      workspace_id: WORKSPACE,
      name: nameOf(),
      scopes: MAKING,
      subject: 'u1',
    });
    const meanwhile = (tx: Transaction) =>
      tx.run(`update api_keys set subject = 'u2' where id = $1`, [key_id]);
    const change = () =>
      name === 'deleteApiKey'
        ? as(key).deleteApiKey({ params: { key_id } })
        : as(key).patchApiKey({ params: { key_id }, body: { name: nameOf() } });
    expect(await answerAfter({ meanwhile, change })).toBe(404);
  },
);

test('when two keys end each other at once, then neither waits for ever', async () => {
  const [one, other] = [await keyWith(), await keyWith()];
  const end = (by: Maker, of: Maker) =>
    as(by.key)
      .deleteApiKey({ params: { key_id: of.id } })
      .then(
        () => 'done',
        (error: { status?: number }) => error.status,
      );
  const answers = await Promise.all([end(one, other), end(other, one)]);
  expect(answers.toSorted()).toEqual([401, 'done']);
});
