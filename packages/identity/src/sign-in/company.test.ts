import { useFixturePerTest } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { createClient, ROLES } from '@roadstead/contracts';
import { CONSOLE_CLIENT, identity as contract } from '@roadstead/contracts/identity';
import {
  authorization,
  COMPANY_CLIENT,
  type CompanyProvider,
  Person,
  register,
  startCompanyProvider,
  visitProvider,
} from '@roadstead/testing/oauth';
import { calledWith, exchange } from '../oauth/testing/console-flow.ts';
import { KEY, startIdentityServer } from '../oauth/testing/oauth-fixture.ts';
import { bearer, callerOf } from '../oauth/testing/oauth-flow.ts';

/** People of a company sign in at its real OpenID provider. */

type Outbound = (request: Request) => Promise<Response>;
interface Company extends AsyncDisposable {
  readonly provider: CompanyProvider;
  /** What stands between Roadstead and the provider. */
  between: (request: Request, send: Outbound) => Promise<Response>;
}

const company = useFixturePerTest(async (): Promise<Company> => {
  const provider = await startCompanyProvider();
  return {
    provider,
    between: async (request, send) => send(request),
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  };
});

async function start(more: { default_role?: 'viewer'; groups_in_id_token?: boolean; code_s?: number } = {}) {
  const opened = company();
  const stack = new AsyncDisposableStack();
  const server = stack.use(
    await startIdentityServer({
      company: {
        issuer: opened.provider.url,
        ...COMPANY_CLIENT,
        name: 'Acme',
        scopes: 'openid profile',
        groups_claim: 'groups',
        roles: new Map([['engineering', 'member'] as const, ['operations', 'admin'] as const]),
        default_role: more.default_role,
        outbound: (request) => opened.between(request, (sent) => fetch(sent)),
      },
    }),
  );
  opened.provider.serve(server.url, more);
  return { server, [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose]() };
}

const who = async (person: Person, url: string) => {
  const { text } = await person.twin().open(`${url}/oauth/session`);
  return (JSON.parse(text) as { signed_in: { name: string; scopes: string[] }[] }).signed_in.map(
    ({ name, scopes }) => [name, scopes] as const,
  );
};
async function signIn(url: string, person = new Person()) {
  await person.open(await visitProvider(url, { person }));
  return person;
}
const usersOf = async (url: string) =>
  (await createClient(contract, { base_url: url, headers: { 'x-api-key': KEY } }).listUsers({ query: {} }))
    .items;

test.each([true, false])(
  'when somebody comes for the first time, then they are a user (groups in the ID token: %s)',
  async (groups_in_id_token) => {
    await using running = await start({ groups_in_id_token });
    const { url } = running.server;
    const person = await signIn(url);
    expect(person.page.text).toContain('Authorized applications');
    expect(await who(person, url)).toEqual([['anna', ROLES.member]]);
    expect(await usersOf(url)).toMatchObject([
      {
        name: 'anna',
        role: 'member',
        signs_in_at: company().provider.url,
        last_sign_in_at: expect.any(String),
      },
    ]);
    await signIn(url);
    expect(await usersOf(url)).toHaveLength(1);
  },
);

test('when the console is opened, then the button leads through the company back to it', async () => {
  await using running = await start();
  const { url } = running.server;
  const person = new Person();
  const redirect_uri = `${url}/console/callback`;
  const asked = authorization(url, { client_id: CONSOLE_CLIENT, redirect_uri, prompt: 'login' });
  const { text } = await person.open(asked.address);
  expect(text).toMatch(/Sign in with Acme/);
  const return_to = decodeURIComponent(/return_to=([^"]+)"/.exec(text)?.[1] ?? '');
  await person.open(await visitProvider(url, { person, return_to }));
  expect(calledWith(person)['code']).toEqual(expect.any(String));
  const { body } = await exchange(url, { person, asked: { ...asked, redirect_uri } });
  expect(await callerOf(running.server, bearer(body.access_token))).toMatchObject({
    actor: expect.stringMatching(/^user:/),
    scopes: ROLES.member,
  });
});

test('when an application asks, then somebody of the company consents, and only to what they may', async () => {
  await using running = await start();
  const { url } = running.server;
  const redirect_uri = 'http://localhost:53122/callback';
  const { client_id } = await register(url, { client_name: 'Editor', redirect_uris: [redirect_uri] });
  const person = new Person();
  const { text } = await person.open(authorization(url, { client_id, redirect_uri }).address);
  const return_to = decodeURIComponent(/return_to=([^"]+)"/.exec(text)?.[1] ?? '');
  await person.open(await visitProvider(url, { person, return_to }));
  expect(await person.allow()).toContain('code=');
});

test('when groups change, then the next sign-in counts, and who has none left loses everything', async () => {
  await using running = await start();
  const { url } = running.server;
  const person = await signIn(url);
  company().provider.account = { sub: 'anna-at-work', groups: ['engineering', 'operations'] };
  expect(await who(await signIn(url), url)).toEqual([['anna', ['admin']]]);
  expect(await who(person, url)).toEqual([['anna', ['admin']]]);
  company().provider.account = { sub: 'anna-at-work', groups: ['sales'] };
  const refused = await signIn(url);
  expect([refused.page.status, await who(refused, url), await who(person, url)]).toEqual([403, [], []]);
  expect(refused.page.text).toContain('none of your groups has a role here');
  expect(await usersOf(url)).toMatchObject([{ name: 'anna', scopes: [] }]);
});

test('when there is a role for everybody, then who is in no group has it', async () => {
  await using running = await start({ default_role: 'viewer' });
  company().provider.account = { sub: 'bert', groups: [] };
  const person = await signIn(running.server.url);
  expect(await who(person, running.server.url)).toEqual([['user', ['reader']]]);
});

test('when a user of the same name is there, then nobody of the company becomes that user', async () => {
  await using running = await start();
  const { url } = running.server;
  const admin = createClient(contract, { base_url: url, headers: { 'x-api-key': KEY } });
  await admin.createUser({ body: { name: 'anna', password: 'eleven quiet herons', role: 'admin' } });
  const person = await signIn(url);
  expect(await who(person, url)).toEqual([[expect.stringMatching(/^anna-[0-9a-f]{8}$/), ROLES.member]]);
  const made = (await usersOf(url)).find(({ signs_in_at }) => signs_in_at !== null);
  const change = { params: { user_id: made?.id ?? '' }, body: { password: 'eleven quiet herons' } };
  await expect(admin.patchUser(change)).rejects.toMatchObject({ status: 400 });
});

/** Changes what the provider answers to the exchange of a code. */
const tampered =
  (change: (token: string) => string): Company['between'] =>
  async (request, send) => {
    const answer = await send(request);
    if (!request.url.endsWith('/token')) return answer;
    const body = (await answer.json()) as { id_token: string };
    return Response.json({ ...body, id_token: change(body.id_token) });
  };
const withClaims = (change: object) => (token: string) => {
  const [head, claims = '', signature] = token.split('.');
  const said = JSON.parse(Buffer.from(claims, 'base64url').toString()) as object;
  return [head, Buffer.from(JSON.stringify({ ...said, ...change })).toString('base64url'), signature].join(
    '.',
  );
};

test.each([
  ['another nonce', withClaims({ nonce: 'another' })],
  ['groups that nobody signed', withClaims({ groups: ['operations'] })],
  ['another issuer', withClaims({ iss: 'https://evil.example' })],
  ['another audience', withClaims({ aud: 'somebody-else' })],
  ['an end that is past', withClaims({ exp: 1 })],
  [
    'no signature',
    (token: string) => `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1] ?? ''}.`,
  ],
])('when the ID token has %s, then nobody is signed in', async (_name, change) => {
  await using running = await start({ groups_in_id_token: true });
  company().between = tampered(change);
  const person = await signIn(running.server.url);
  expect([person.page.status, await who(person, running.server.url)]).toEqual([401, []]);
  expect(person.page.text).toContain('does not prove who you are');
});

test.each([
  ['with another state', (url: URL) => url.searchParams.set('state', 'another'), 400],
  ['from another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example'), 401],
  ['with a code that was made up', (url: URL) => url.searchParams.set('code', 'made-up'), 401],
  ['without a code', (url: URL) => url.searchParams.delete('code'), 401],
])('when the browser comes back %s, then nobody is signed in', async (_name, change, status) => {
  await using running = await start();
  const { url } = running.server;
  const person = new Person();
  const callback = new URL(await visitProvider(url, { person }));
  change(callback);
  expect((await person.open(callback.href)).status).toBe(status);
  expect(await who(person, url)).toEqual([]);
});

test('when another browser opens the way back, then it is not signed in', async () => {
  await using running = await start();
  const { url } = running.server;
  const callback = await visitProvider(url, { person: new Person() });
  const victim = new Person();
  expect(await victim.open(callback)).toMatchObject({
    status: 400,
    text: expect.stringContaining('begun in another browser'),
  });
  expect(await who(victim, url)).toEqual([]);
});

test('when the way back is opened twice, then the second time signs nobody in', async () => {
  await using running = await start();
  const { url } = running.server;
  const person = new Person();
  const callback = await visitProvider(url, { person });
  const twin = person.twin();
  await person.open(callback);
  expect((await twin.open(callback)).status).toBe(401);
});

test('when two tabs sign in at once, then both end where they began', async () => {
  await using running = await start();
  const { url } = running.server;
  const person = new Person();
  const [one, other] = [await visitProvider(url, { person }), await visitProvider(url, { person })];
  for (const callback of [other, one])
    expect((await person.open(callback)).text).toContain('Authorized applications');
});

test('when somebody declines at the provider, then the page says so', async () => {
  await using running = await start();
  company().provider.denies = true;
  const person = await signIn(running.server.url);
  expect(person.page).toMatchObject({
    status: 403,
    text: expect.stringContaining('Acme did not sign you in'),
  });
});

test('when the provider is away, then a sentence says so, and other ways stay open', async () => {
  await using running = await start();
  const { url } = running.server;
  const person = new Person();
  const callback = await visitProvider(url, { person });
  await company().provider.stop();
  expect((await person.open(callback)).status).toBeGreaterThanOrEqual(401);
  await using fresh = await start();
  const answer = await new Person().open(`${fresh.server.url}/oauth/company`);
  expect(answer).toMatchObject({ status: 503, text: expect.stringContaining('just now') });
  await person.open(`${url}/oauth/applications`);
  expect((await person.signIn({ key: KEY })).text).toContain('Authorized applications');
});

test('when a page to return to is elsewhere, then it is ours instead', async () => {
  await using running = await start();
  const { url } = running.server;
  for (const return_to of [
    'https://evil.example/',
    '//evil.example/oauth/applications',
    '/oauth/sign-in/x',
  ]) {
    const person = new Person();
    await person.open(await visitProvider(url, { person, return_to }));
    expect([person.page.left_for, new URL(person.page.url).pathname]).toEqual([
      undefined,
      '/oauth/applications',
    ]);
  }
});

test('when no company is set up, then there is no button, and no way there', async () => {
  await using server = await startIdentityServer();
  const person = new Person();
  expect((await person.open(`${server.url}/oauth/applications`)).text).not.toContain('/oauth/company');
  expect((await person.open(`${server.url}/oauth/company`)).status).toBe(404);
});
