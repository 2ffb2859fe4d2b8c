import { expect, test } from 'vitest';
import { authorizationUrl, checkAddress, isIssuer, revocationAddressOf } from './provider-rules.ts';
import { plainAnswer } from './token-answer-rules.ts';

const isNamed = (host: string, port: number) =>
  host === 'keycloak.internal' || (host === '::1' && port === 80);

test.each([
  ['https://github.com/login/oauth/authorize', true],
  ['https://login.example.com/authorize?audience=x', true],
  ['http://github.com/login', false],
  ['http://keycloak.internal/auth', true],
  ['http://[::1]/auth', true],
  ['http://[::1]:81/auth', false],
  ['javascript:alert(1)', false],
  ['ftp://keycloak.internal/x', false],
  ['https://user:secret@example.com/', false],
  ['https://example.com/#fragment', false],
])('when a provider’s address is %s, then it is allowed: %s', (address, allowed) => {
  const refused = refusalOf(() => checkAddress('auth_url', { address, isNamed }));
  expect(refused?.startsWith('auth_url must')).toBe(allowed ? undefined : true);
});

function refusalOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const provider = {
  client_id: 'c',
  auth_url: 'https://p.example/auth?tenant=t&state=theirs',
  resource: null,
  provider_type: null,
  authorization_params: { access_type: 'offline', redirect_uri: 'https://evil.example' },
};
const flow = { redirect_uri: 'https://r.example/cb', state: 's', challenge: 'x', scopes: ['a', 'b'] };
const askedOf = (url: string) => Object.fromEntries(new URL(url).searchParams);

test('when a provider adds parameters, then those of the flow win over them', () => {
  expect(askedOf(authorizationUrl({ provider, ...flow }))).toEqual({
    tenant: 't',
    access_type: 'offline',
    response_type: 'code',
    client_id: 'c',
    redirect_uri: 'https://r.example/cb',
    state: 's',
    scope: 'a b',
    code_challenge: 'x',
    code_challenge_method: 'S256',
  });
});

test.each([
  ['microsoft', { scope: 'a b offline_access' }],
  ['salesforce', { scope: 'a b refresh_token' }],
  ['slack', { user_scope: 'a,b' }],
] as const)('when the provider is %s, then it is asked in its own way', (provider_type, said) => {
  const asked = askedOf(authorizationUrl({ provider: { ...provider, provider_type }, ...flow }));
  expect(asked).toMatchObject(said);
  expect('scope' in asked).toBe(provider_type !== 'slack');
});

test('when a provider’s tokens are bound to a resource, then the flow asks for that resource', () => {
  const resource = 'https://mcp.example/mcp';
  expect(askedOf(authorizationUrl({ provider: { ...provider, resource }, ...flow })).resource).toBe(resource);
});

test.each([
  [null, 'https://p.example', true],
  [null, 'https://p.example/realms/x', true],
  [null, 'https://evil.example', false],
  [null, 'nonsense', false],
  ['https://i.example', 'https://i.example', true],
  ['https://i.example', 'https://i.example/', false],
  ['https://i.example', 'https://p.example', false],
])('when the issuer is %s, then an answer from %s is right: %s', (issuer, iss, right) => {
  expect(isIssuer({ issuer, auth_url: 'https://p.example/auth' }, iss)).toBe(right);
});

test.each([
  [null, null, undefined],
  ['salesforce', null, 'https://t.example/services/oauth2/revoke'],
  ['slack', null, 'https://t.example/api/auth.revoke'],
  ['slack', 'https://own.example/r', 'https://own.example/r'],
] as const)(
  'when a provider is %s with the address %s, then its tokens are revoked at %s',
  (provider_type, revocation_url, address) => {
    expect(revocationAddressOf({ provider_type, revocation_url, token_url: 'https://t.example/x' })).toBe(
      address,
    );
  },
);

const idToken = (claims: object) => `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`;

test.each<[string, Parameters<typeof plainAnswer>, object]>([
  [
    'the standard’s',
    [null, { status: 200, body: { access_token: 't', token_type: 'Bearer', scope: 'a b', expires_in: 60 } }],
    { status: 200, body: { access_token: 't', token_type: 'Bearer', scope: 'a b', expires_in: 60 } },
  ],
  [
    'GitHub’s, with commas',
    [null, { status: 200, body: { access_token: 't', token_type: 'bearer', scope: 'repo,user' } }],
    { status: 200, body: { scope: 'repo user' } },
  ],
  [
    'GitHub’s error, with 200',
    [null, { status: 200, body: { error: 'bad_verification_code', error_description: 'x' } }],
    { status: 400, body: { error: 'bad_verification_code' } },
  ],
  [
    'Slack’s error, with 200',
    ['slack', { status: 200, body: { ok: false, error: 'invalid_code' } }],
    { status: 400, body: { error: 'invalid_code' } },
  ],
  [
    'Slack’s, of a user',
    [
      'slack',
      {
        status: 200,
        body: {
          ok: true,
          access_token: 'xoxb-bot',
          token_type: 'bot',
          team: { id: 'T1', name: 'Harbour' },
          authed_user: {
            id: 'U1',
            access_token: 'xoxp-user',
            scope: 'chat:write,users:read',
            token_type: 'user',
          },
        },
      },
    ],
    {
      status: 200,
      body: { access_token: 'xoxp-user', token_type: 'bearer', scope: 'chat:write users:read' },
      account_label: 'Harbour',
      metadata: { team_id: 'T1', team_name: 'Harbour', slack_user_id: 'U1' },
    },
  ],
  [
    'Salesforce’s, which never says when it ends',
    ['salesforce', { status: 200, body: { access_token: 't', instance_url: 'https://i.example', id: 'x' } }],
    {
      status: 200,
      body: { token_type: 'bearer', expires_in: 900 },
      metadata: { instance_url: 'https://i.example', id: 'x' },
    },
  ],
  [
    'one with an identity and nulls',
    [
      null,
      {
        status: 200,
        body: {
          access_token: 't',
          refresh_token: null,
          expires_in: '60',
          id_token: idToken({ email: 'a@x.example' }),
        },
      },
    ],
    {
      status: 200,
      body: { access_token: 't', token_type: 'bearer', expires_in: 60 },
      account_label: 'a@x.example',
    },
  ],
  ['a page', [null, { status: 200, body: {} }], { status: 400, body: { error: 'unknown_error' } }],
  ['an outage', [null, { status: 502, body: {} }], { status: 502, body: { error: 'unknown_error' } }],
])(
  'when the answer of a provider is %s, then it is brought into the standard’s form',
  (_case, given, plain) => {
    const answer = plainAnswer(...given);
    expect(answer).toMatchObject(plain);
    expect(answer.body).not.toHaveProperty('id_token');
  },
);
