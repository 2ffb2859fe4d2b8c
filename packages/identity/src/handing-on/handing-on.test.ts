import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { covers, createClient, type Principal, type Scope } from '@roadstead/contracts';
import { identity as contract } from '@roadstead/contracts/identity';
import { openDatabase } from '@roadstead/postgres';
import { Person } from '@roadstead/testing/oauth';
import { IDENTITY_SCHEMA } from '../identity.ts';
import { hashOf, insertKey } from '../records/key-store.ts';
import {
  createBrowser,
  KEY,
  decide,
  startIdentityServer,
  WORKSPACE,
} from '../oauth/testing/oauth-fixture.ts';
import { enterConsole, reloadConsole } from '../oauth/testing/console-flow.ts';
import { bearer, callerOf, openClient } from '../oauth/testing/oauth-flow.ts';
import { signIn } from '../sign-in/sign-in-work.ts';
import { makers, soon } from '../testing/makers.ts';
import { begetting, ways } from './handing-on-rules.ts';

/**
 * Every way in which a credential creates another, taken by holders of every kind: no new credential has more rights
 * than its maker.
 */

const server = useFixture(startIdentityServer);
const client = useFixture(() => openClient(server()));
const editor = useFixture(() => client().register());
const db = useFixture(() =>
  openDatabase({ url: server().database_url, max: 2, name: 'handing on', schema: IDENTITY_SCHEMA }),
);

interface Maker {
  readonly id: string;
  readonly key: string;
}
let count = 0;
const nameOf = () => `made${(count += 1)}`;
const password = 'eleven quiet herons';
const as = (key: string) => createClient(contract, { base_url: server().url, headers: { 'x-api-key': key } });

async function authorizeAs(subject: string, scopes: readonly Scope[]) {
  const outcome = { subject, scopes: scopes as ['traces:read'] };
  return client().signIn(editor(), { outcome });
}

/** An application that a user authorizes may do what the user may do. */
async function asUser(name: string, secret = password): Promise<Record<string, string>> {
  const [user] = await signIn(db(), {
    shown: { name, password: secret },
    address: `192.0.2.${count % 250}`,
    browser: undefined,
  });
  const scopes = (['agents:invoke', 'traces:read'] as const).filter((scope) =>
    covers(user?.scopes ?? [], scope),
  );
  return bearer((await authorizeAs(user?.id ?? '', scopes)).access_token);
}

/** Each way, with the widest possible request; the result is the headers with which the new credential calls. */
const taken: Record<keyof typeof ways, Record<string, (maker: Maker) => Promise<Record<string, string>>>> = {
  key: {
    'as little said as possible': async ({ key }) => ({
      'x-api-key': (
        await as(key).createApiKey({ body: { name: nameOf(), scopes: ['agents:invoke', 'keys:admin'] } })
      ).key,
    }),
    'every bound named': async ({ key }) => ({
      'x-api-key': (
        await as(key).createApiKey({
          body: {
            name: nameOf(),
            scopes: ['agents:invoke'],
            subject: 'u2',
            expires_at: '2100-01-01T00:00:00Z',
          },
        })
      ).key,
    }),
    'more scopes': async ({ key }) => ({
      'x-api-key': (await as(key).createApiKey({ body: { name: nameOf(), scopes: ['admin'] } })).key,
    }),
  },
  user: {
    'a new one': async ({ key }) => {
      const name = nameOf();
      await as(key).createUser({ body: { name, password, scopes: ['agents:invoke', 'traces:read'] } });
      return asUser(name);
    },
    'for somebody else': async ({ key }) => {
      const name = nameOf();
      await as(key).createUser({ body: { name, password, scopes: ['agents:invoke'], subject: 'u2' } });
      return asUser(name);
    },
    'the password of one who is there': async ({ key }) => {
      const name = nameOf();
      const user = await as(KEY).createUser({ body: { name, password, scopes: ['agents:invoke'] } });
      await as(key).patchUser({ params: { user_id: user.id }, body: { password: 'twelve loud herons' } });
      return asUser(name, 'twelve loud herons');
    },
  },
  workspace: {
    'a new one': async ({ key }) => ({
      'x-api-key': (await as(key).createWorkspace({ body: { name: nameOf() } })).key,
    }),
    'a new one, by another service': async ({ id }) => ({
      'x-api-key': (
        await server()
          .asService('observability')
          .createWorkspaceFor({ body: { name: nameOf(), actor: `key:${id}` } })
      ).key,
    }),
  },
  grant: {
    'a code': async ({ id }) => bearer((await authorizeAs(`key:${id}`, ['agents:invoke'])).access_token),
    'a refresh': async ({ id }) => {
      const tokens = await authorizeAs(`key:${id}`, ['agents:invoke']);
      return bearer(
        (await client().read(editor(), await client().refresh(editor(), tokens.refresh_token))).access_token,
      );
    },
    'a device': async ({ id }) => bearer(await deviceToken(`key:${id}`)),
    'more scopes': async ({ id }) =>
      bearer((await authorizeAs(`key:${id}`, ['agents:invoke', 'datasets:write'])).access_token),
  },
  session: {
    'an address that signs in': async ({ key }) => {
      const person = new Person();
      await person.open((await as(key).createSignInLink({})).url);
      await person.submit({ do: 'sign-in' });
      return bearer((await reloadConsole(server().url, person)).access_token);
    },
    'an address that a console makes': async ({ key }) => {
      const { access_token } = await enterConsole(server().url, { key });
      const console = createClient(contract, { base_url: server().url, headers: bearer(access_token) });
      const person = new Person();
      await person.open((await console.createSignInLink({})).url);
      await person.submit({ do: 'sign-in' });
      return bearer((await reloadConsole(server().url, person)).access_token);
    },
  },
  listener: {
    'a new one': async ({ id }) => ({
      'x-api-key': (
        await server()
          .asService('control-plane')
          .createListenerKey({
            body: { name: nameOf(), listener_id: crypto.randomUUID(), actor: `key:${id}` },
          })
      ).key,
    }),
  },
};

async function deviceToken(subject: string): Promise<string> {
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
  const post = async (path: string, form: Record<string, string>) =>
    (await (
      await fetch(server().url + path, { method: 'POST', body: new URLSearchParams(form) })
    ).json()) as Record<string, string>;
  const { client_id } = editor();
  const { device_code = '', user_code = '' } = await post('/oauth/device/code', { client_id });
  const browser = createBrowser(server().url);
  const page = await (await browser.ask('/oauth/device')).text();
  const xsrf = /name="xsrf"[^>]*value="([^"]+)"/.exec(page)?.[1] ?? '';
  const { at } = await browser.visit('/oauth/device', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ xsrf, user_code, confirm: 'yes' }).toString(),
  });
  await decide(server(), { browser, at, outcome: { subject, scopes: ['agents:invoke'] } });
  return (await post('/oauth/token', { client_id, grant_type, device_code }))['access_token'] ?? '';
}

const principalOf = async (headers: Record<string, string>) =>
  (await callerOf(server(), headers)) as unknown as Principal & { refused?: string };

/** Expects that the new credential has no right that its maker's lacks, by what an edge reports of both. */
function expectWithin(made: Principal, maker: Principal): void {
  const lacking = made.scopes.filter((scope) => !covers(maker.scopes, scope));
  // A listener's right is its own, and no key that is bound or ends makes one.
  expect(lacking).toEqual(
    made.listener_id === undefined || maker.listener_id !== undefined ? [] : ['listener'],
  );
  const { subject = made.subject, deployment_id: of = made.deployment_id } = maker;
  expect([made.subject, made.deployment_id]).toEqual([subject, of]);
  expect(made.listener_id).toBe(maker.listener_id ?? made.listener_id);
}

const cases = Object.entries(makers).flatMap(([kind, bounds]) =>
  Object.entries(taken).flatMap(([way, all]) =>
    Object.entries(all).map(([how, take]) => [`${kind} begets a ${way}: ${how}`, bounds, take] as const),
  ),
);
let begotten = 0;

test.each(cases)('when %s, then it reaches no further than its maker', async (_title, bounds, take) => {
  const made = await insertKey(db(), { workspace_id: WORKSPACE, name: nameOf(), scopes: [], ...bounds });
  const maker = await principalOf({ 'x-api-key': made.key });
  const headers = await take(made).catch((error: { status?: number; kind?: string }) => {
    if ([403, 404].includes(error.status ?? 0) || error.kind === 'forbidden') return undefined;
    throw error;
  });
  if (headers === undefined) return;
  begotten += 1;
  const heir = await principalOf(headers);
  expect(heir.scopes.length).toBeGreaterThan(0);
  expectWithin(heir, maker);
  // It expires together with its maker.
  if (bounds.expires_at === undefined) return;
  for (const table of ['api_keys', 'users'])
    await db().run(`update ${table} set expires_at = now() where expires_at <= $1`, [soon]);
  server().service.edge.forget(hashOf(headers['x-api-key'] ?? ''));
  expect(await principalOf(headers)).toMatchObject({ refused: 'unauthenticated' });
});

test('when an endpoint can beget a credential, then it is one of the ways that are tried here', () => {
  expect(new Set(Object.keys(taken))).toEqual(new Set(Object.keys(ways)));
  expect(begotten).toBeGreaterThan(40);
  // Every changing operation either creates no credential, and is listed so, or has a way.
  const changing = Object.entries(contract).flatMap(([name, { method }]) => (method === 'GET' ? [] : [name]));
  expect(changing.filter((name) => !Object.hasOwn(begetting, name))).toEqual([]);
  expect(Object.keys(begetting).filter((name) => !changing.includes(name))).toEqual([]);
});
