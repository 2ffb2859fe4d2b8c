import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { WellFormedText } from '../values/well-formed-text.ts';
import { RESOURCES } from './oauth.ts';

/** How clients find the authorization server and its keys (RFC 8414, RFC 9728). */

const page = { dialect: 'oauth', auth: 'public' } as const;
const Metadata = z.looseObject({});

export const discovery = {
  readProtectedResource: endpoint({
    method: 'GET',
    path: '/.well-known/oauth-protected-resource',
    summary:
      'Which authorization server gives tokens for this origin, or the resource before the path (RFC 9728)',
    mounts: RESOURCES,
    ...page,
    success: { status: 200, body: Metadata },
  }),
  readMcpProtectedResource: endpoint({
    method: 'GET',
    path: '/.well-known/oauth-protected-resource/mcp',
    summary: 'The same of the MCP server',
    mounts: ['', '/api'],
    ...page,
    success: { status: 200, body: Metadata },
  }),
  readApiProtectedResource: endpoint({
    method: 'GET',
    path: '/.well-known/oauth-protected-resource/api',
    summary: 'The same of the API',
    ...page,
    success: { status: 200, body: Metadata },
  }),
  readApiMcpProtectedResource: endpoint({
    method: 'GET',
    path: '/.well-known/oauth-protected-resource/api/mcp',
    summary: 'The same of the MCP server below /api',
    ...page,
    success: { status: 200, body: Metadata },
  }),
  readOAuthKeys: endpoint({
    method: 'GET',
    path: '/oauth/jwks',
    summary: 'Public keys that sign access tokens (JWK set, RFC 7517)',
    ...page,
    success: { status: 200, body: z.object({ keys: z.array(z.record(WellFormedText, z.unknown())) }) },
  }),
};
