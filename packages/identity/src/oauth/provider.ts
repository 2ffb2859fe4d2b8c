import type { EventEmitter } from 'node:events';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { Scope } from '@roadstead/contracts';
import { CONSOLE_CLIENT } from '@roadstead/contracts/identity';
import { type Log, problemOf, type SecretBox } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { findSubject } from '../records/subject-work.ts';
import type { OAuthPages } from '../pages/oauth-ports.ts';
import type { SigningKey } from './keys/signing-key-work.ts';
import { findGrant } from '../records/grant-store.ts';
import { fetchMetadataDocument } from './metadata-document.ts';
import { pageHeaders } from '@roadstead/pages';
import { deviceFlow } from './device-pages.ts';
import { createAdapter } from './provider-adapter.ts';
import { GRANT_TYPES } from './registration-rules.ts';
import { consoleClient } from './console-rules.ts';
import { ASKED_MS, ASKED_SCOPE, mcpResource, scopesFor, WORKSPACE } from './request-rules.ts';

export interface ProviderOptions {
  readonly db: Database;
  readonly secret_box: SecretBox;
  readonly log: Log;
  /** The address of the origin, which is the issuer. */
  readonly public_url: string;
  /** Fetches the descriptions of clients from addresses that they name. */
  readonly outbound: ((request: Request) => Promise<Response>) | undefined;
  readonly pages: OAuthPages;
  readonly revokeGrant: (id: string) => Promise<void>;
}

const MINUTE_S = 60;
const DAY_S = 86_400;
const ACCESS_TOKEN_S = 3600;
/** The longest that an application stays authorized, however often it refreshes. */
export const GRANT_S = 365 * DAY_S;
/** A code and an access token of the console; then it asks again. */
export const CONSOLE_GRANT_S = 2 * ACCESS_TOKEN_S;

const INTERACTION_S = 30 * MINUTE_S;
export const INTERACTION_COOKIE = 'roadstead_interaction';
export const SESSION_COOKIE = 'roadstead_device';

/** The library, configured. It is loaded at the first use: most processes never need it. */
export async function createProvider(options: ProviderOptions, keys: readonly SigningKey[]) {
  const { default: Provider, errors, interactionPolicy } = await import('oidc-provider');
  const { Check, Prompt, base } = interactionPolicy;
  const policy = base();
  policy.clear();
  // Each authorization needs its own consent, by a person who signs in for it.
  policy.add(
    new Prompt(
      { name: 'login', requestable: true },
      new Check('consent', 'somebody has to consent', 'login_required', ({ oidc }) => !oidc.result?.consent),
    ),
  );
  for (const name of ['consent', 'select_account']) policy.add(new Prompt({ name, requestable: true }));
  const provider = new Provider(options.public_url, {
    ...fixed,
    adapter: createAdapter(options),
    clients: [consoleClient(options.public_url)],
    jwks: { keys: keys.map(({ private_key }) => private_key as object) },
    interactions: { policy, url: (_, { uid }) => `/oauth/interaction/${uid}` },
    features: features(options, { kid: keys[0]?.id, refuse: () => new errors.InvalidTarget() }),
    findAccount: async (_, id, token) => {
      const subject = await findSubject(options.db, id);
      const grant = await grantOf(options.db, token);
      // A change of the password ends all earlier consents.
      if (grant !== undefined && grant.subject_version !== subject?.version) return undefined;
      return subject && { accountId: subject.id, claims: async () => ({ sub: subject.id }) };
    },
    extraTokenClaims: async (_, token) => {
      const grant = await grantOf(options.db, token);
      return grant && { grant_id: grant.id, workspace_id: grant.workspace_id };
    },
    ...(options.outbound && { fetch: fetchMetadataDocument(options.outbound) }),
    renderError: async (ctx, { error, error_description: description = '' }, cause) => {
      const host = error === 'invalid_client' ? hostOf(ctx.oidc?.params?.['client_id']) : undefined;
      ctx.set(pageHeaders());
      ctx.body = options.pages.failure(
        host === undefined
          ? (outage(cause) ?? { error, description })
          : {
              error: 'client_document',
              description: `what ${host} publishes about the application cannot be read`,
            },
      );
    },
  } satisfies Configuration);
  // Only our own header states the scheme of a request.
  provider.proxy = true;
  const logged = (error: unknown) => options.log.error('an authorization failed', { error });
  provider.on('server_error', (ctx, error) => {
    const away = outage(error);
    if (away === undefined) return logged(error);
    ctx.status = 503;
    ctx.set('retry-after', '1');
    if (ctx.type === 'application/json')
      ctx.body = { error: away.error, error_description: away.description };
  });
  (provider as EventEmitter).on('error', logged);
  return provider;
}

/** The answer during an outage of the database, when no code or token can be judged wrong. */
function outage(error: unknown) {
  const problem = problemOf(error);
  if (problem?.kind !== 'unavailable') return undefined;
  return { error: 'temporarily_unavailable', description: problem.message };
}

const grantOf = async (db: Database, token: object | undefined) =>
  token !== undefined && 'grantId' in token ? findGrant(db, String(token.grantId)) : undefined;

/** The host that publishes the description of a client. */
const hostOf = (client_id: unknown) =>
  typeof client_id === 'string' && client_id.startsWith('https://') ? URL.parse(client_id)?.host : undefined;

const fixed = {
  routes: {
    authorization: '/oauth/authorize',
    token: '/oauth/token',
    jwks: '/oauth/jwks',
    registration: '/oauth/register',
    revocation: '/oauth/revoke',
    device_authorization: '/oauth/device/code',
    code_verification: '/oauth/device',
  },
  scopes: ['offline_access', ...Scope.options],
  responseTypes: ['code'],
  clientAuthMethods: ['none'],
  clientDefaults: {
    grant_types: [...GRANT_TYPES],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    id_token_signed_response_alg: 'EdDSA',
  },
  extraParams: [ASKED_SCOPE, ASKED_MS, WORKSPACE],
  pkce: { required: () => true },
  // The console asks again instead, as long as the session of its browser lasts.
  issueRefreshToken: async (_: unknown, { clientId }: { clientId: string }) => clientId !== CONSOLE_CLIENT,
  rotateRefreshToken: true,
  expiresWithSession: async () => false,
  loadExistingGrant: async ({ oidc }: KoaContextWithOIDC) => {
    const id = oidc.result?.consent?.grantId;
    return id === undefined ? undefined : oidc.provider.Grant.find(id);
  },
  cookies: {
    names: {
      session: SESSION_COOKIE,
      interaction: INTERACTION_COOKIE,
      resume: 'roadstead_resume',
    },
    long: { httpOnly: true, sameSite: 'lax', path: '/oauth', signed: false },
    short: { httpOnly: true, sameSite: 'lax', signed: false },
  },
  ttl: {
    AccessToken: ACCESS_TOKEN_S,
    AuthorizationCode: 5 * MINUTE_S,
    DeviceCode: 15 * MINUTE_S,
    Grant: GRANT_S,
    IdToken: ACCESS_TOKEN_S,
    Interaction: INTERACTION_S,
    RefreshToken: 30 * DAY_S,
    Session: 30 * MINUTE_S,
  },
} satisfies Configuration;

function features(
  { public_url, pages, outbound }: ProviderOptions,
  { kid, refuse }: { readonly kid: string | undefined; readonly refuse: () => Error },
) {
  const resource = mcpResource(public_url);
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
    clientIdMetadataDocument: { enabled: outbound !== undefined, ack: 'draft-02' },
    deviceFlow: deviceFlow(pages),
    registration: { enabled: true, issueRegistrationAccessToken: false },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: async () => resource,
      getResourceServerInfo: async (_: unknown, asked: string, { clientId }: { clientId: string }) => {
        if (asked !== resource) throw refuse();
        return {
          scope: scopesFor(clientId).join(' '),
          audience: resource,
          accessTokenFormat: 'jwt' as const,
          accessTokenTTL: ACCESS_TOKEN_S,
          jwt: { sign: { alg: 'EdDSA' as const, ...(kid === undefined ? {} : { kid }) } },
        };
      },
    },
  } satisfies Configuration['features'];
}
