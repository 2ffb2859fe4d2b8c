import { z } from 'zod';
import type { Access } from '../endpoints/access.ts';
import { endpoint } from '../endpoints/endpoint.ts';
import { withOneLoopback } from '../edge/loopback.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

/**
 * The authorization server: OAuth 2.1 with discovery (RFC 8414, RFC 9728), dynamic registration (RFC 7591), client-id
 * metadata documents, PKCE, resource indicators (RFC 8707), the device flow (RFC 8628) and revocation (RFC 7009).
 */

/** The scopes of a client that asks for none. */
export const OAUTH_READS = [
  'traces:read',
  'datasets:read',
  'feedback:read',
  'prompts:read',
  'usage:read',
  'deployments:read',
] as const satisfies readonly Access[];

/** Further scopes, granted only where the consenting user ticks them. */
export const OAUTH_WRITES = [
  'prompts:write',
  'datasets:write',
  'agents:invoke',
] as const satisfies readonly Access[];

export const OAUTH_SCOPES = [...OAUTH_READS, ...OAUTH_WRITES] as const;
export type OAuthScope = (typeof OAUTH_SCOPES)[number];

export const isOAuthScope = (text: string): text is OAuthScope =>
  (OAUTH_SCOPES as readonly string[]).includes(text);

/** The addresses below the origin that clients name as the resource. */
export const RESOURCES = ['', '/mcp', '/api', '/api/mcp'] as const;

/** The resources that our tokens are for: every address below the origin, however its URL is written. */
export function isOwnResource(resource: string, public_url: string): boolean {
  const [asked, own] = [URL.parse(resource), URL.parse(public_url)];
  // A resource has no fragment (RFC 8707).
  if (asked === null || own === null || resource.includes('#') || asked.username + asked.password !== '')
    return false;
  const path = asked.pathname.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '');
  return (
    withOneLoopback(asked.origin) === withOneLoopback(own.origin) && RESOURCES.some((one) => one === path)
  );
}

const json = { dialect: 'oauth', raw: true, auth: 'public' } as const;
const form = { ...json, media_type: 'application/x-www-form-urlencoded', max_body_bytes: 16_384 } as const;
const page = { dialect: 'oauth', auth: 'public' } as const;
const html = { status: 200, media_types: ['text/html'] } as const;

/** The discovery endpoints: they name the authorization server and its keys. */
export const discovery = {};

const Metadata = z.looseObject({});

const SERVER = '/.well-known/oauth-authorization-server';
const OPENID = '/.well-known/openid-configuration';
/** Clients ask for it below the origin, and at the address of the resource, written in either of two ways. */
const metadata = (at: { readonly path: `/${string}`; readonly mounts?: readonly string[] }) =>
  endpoint({
    method: 'GET',
    summary: at.path.startsWith(OPENID)
      ? 'What the authorization server can do, where clients of OpenID Connect look for it'
      : 'What the authorization server can do and where (RFC 8414)',
    ...at,
    ...page,
    success: { status: 200, body: Metadata },
  });

export const oauth = {
  readAuthorizationServer: metadata({ path: SERVER, mounts: RESOURCES }),
  readMcpAuthorizationServer: metadata({ path: `${SERVER}/mcp` }),
  readApiAuthorizationServer: metadata({ path: `${SERVER}/api` }),
  readApiMcpAuthorizationServer: metadata({ path: `${SERVER}/api/mcp` }),
  readOpenIdConfiguration: metadata({ path: OPENID, mounts: RESOURCES }),
  readMcpOpenIdConfiguration: metadata({ path: `${OPENID}/mcp` }),
  readApiOpenIdConfiguration: metadata({ path: `${OPENID}/api` }),
  readApiMcpOpenIdConfiguration: metadata({ path: `${OPENID}/api/mcp` }),
  registerClient: endpoint({
    method: 'POST',
    path: '/oauth/register',
    summary: 'Register a public client (RFC 7591); without a completed authorization it expires in a day',
    ...json,
    max_body_bytes: 8192,
    success: { status: 201, media_types: ['application/json'] },
    example: { body: { client_name: 'Editor', redirect_uris: ['http://127.0.0.1/callback'] } },
  }),
  authorize: endpoint({
    method: 'GET',
    path: '/oauth/authorize',
    summary: 'Begin an authorization; leads to the page on which somebody consents',
    ...page,
    errors: [400, 429],
    success: { status: 303 },
  }),
  resumeAuthorization: endpoint({
    method: 'GET',
    path: '/oauth/authorize/{interaction_id}',
    summary: 'Return to the client with the decision',
    ...page,
    errors: [400],
    params: z.object({ interaction_id: WellFormedText.max(100) }),
    success: { status: 303 },
  }),
  issueToken: endpoint({
    method: 'POST',
    path: '/oauth/token',
    summary: 'Exchange a code, a refresh token or a device code for tokens',
    ...form,
    errors: [401],
    success: { status: 200, media_types: ['application/json'] },
    example: { body: 'grant_type=refresh_token&client_id=example&refresh_token=example' },
  }),
  revokeToken: endpoint({
    method: 'POST',
    path: '/oauth/revoke',
    summary: 'Revoke a token and the grant that it belongs to (RFC 7009)',
    ...form,
    success: { status: 200 },
    example: { body: 'client_id=example&token=example' },
  }),
  startDeviceAuthorization: endpoint({
    method: 'POST',
    path: '/oauth/device/code',
    summary: 'Begin an authorization on a device without a browser (RFC 8628)',
    ...form,
    errors: [401],
    success: { status: 200, media_types: ['application/json'] },
    example: { body: 'client_id=example' },
  }),
  readDevicePage: endpoint({
    method: 'GET',
    path: '/oauth/device',
    summary: 'The page on which the code of a device is entered',
    ...page,
    errors: [400],
    success: html,
  }),
  submitDevicePage: endpoint({
    method: 'POST',
    path: '/oauth/device',
    summary: 'Enter the code of a device, and confirm that it is one’s own',
    ...form,
    success: { ...html, or: 303 },
    example: { body: 'user_code=BCDF-GHJK' },
  }),
  resumeDevice: endpoint({
    method: 'GET',
    path: '/oauth/device/{interaction_id}',
    summary: 'The decision about a device',
    ...page,
    errors: [400],
    params: z.object({ interaction_id: WellFormedText.max(100) }),
    success: { ...html, or: 303 },
  }),
};
