import { useFixture } from '@roadstead/testing';
import { expect, test } from 'vitest';
import { startIdentityServer } from './testing/oauth-fixture.ts';

const server = useFixture(startIdentityServer);

const read = async (path: string) =>
  (await (await fetch(server().url + path)).json()) as Record<string, unknown>;

test('when clients look at either address, then the server says there what it can do', async () => {
  const { url } = server();
  const said = await read('/.well-known/oauth-authorization-server');
  expect(said).toMatchObject({
    issuer: url,
    authorization_endpoint: `${url}/oauth/authorize`,
    token_endpoint: `${url}/oauth/token`,
    registration_endpoint: `${url}/oauth/register`,
    revocation_endpoint: `${url}/oauth/revoke`,
    device_authorization_endpoint: `${url}/oauth/device/code`,
    jwks_uri: `${url}/oauth/jwks`,
    response_types_supported: ['code'],
    response_modes_supported: ['query', 'fragment'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    resource_parameter_supported: true,
    scopes_supported: expect.arrayContaining(['traces:read', 'prompts:write', 'offline_access']),
    grant_types_supported: expect.arrayContaining(['authorization_code', 'refresh_token']),
  });
  expect(JSON.stringify(said)).not.toMatch(/openid|userinfo|client_secret/);
  expect(await read('/.well-known/openid-configuration')).toEqual(said);
});

test.each([
  ['', ''],
  ['/mcp', '/mcp'],
  ['/api/mcp', '/api/mcp'],
])('when the resource at %s is described, then it is named %s', async (path, resource) => {
  const said = await read(`/.well-known/oauth-protected-resource${path}`);
  expect(said).toMatchObject({
    resource: server().url + resource,
    authorization_servers: [server().url],
    bearer_methods_supported: ['header'],
  });
  expect(said['scopes_supported']).not.toContain('offline_access');
});

test('when a client of this machine writes another name of it, then the resource is named so', async () => {
  const here = server().url.replace('127.0.0.1', 'localhost');
  const answer = await fetch(`${here}/.well-known/oauth-protected-resource/mcp`);
  expect(await answer.json()).toMatchObject({
    resource: `${here}/mcp`,
    authorization_servers: [server().url],
  });
});

test('when the resource is asked for below the API’s address, then it is the MCP server there', async () => {
  expect(await read('/api/.well-known/oauth-protected-resource/mcp')).toMatchObject({
    resource: `${server().url}/api/mcp`,
  });
});

const DOCUMENTS = ['oauth-protected-resource', 'oauth-authorization-server', 'openid-configuration'];
const RESOURCES = ['', '/mcp', '/api', '/api/mcp'];

test.each(
  DOCUMENTS.flatMap((document) =>
    RESOURCES.flatMap((resource) => [
      [document, resource, `/.well-known/${document}${resource}`],
      [document, resource, `${resource}/.well-known/${document}`],
    ]),
  ),
)('when %s of %s is asked for at %s, then it is read, from any origin', async (document, resource, path) => {
  const { url } = server();
  const expected =
    document === 'oauth-protected-resource'
      ? { resource: url + resource, authorization_servers: [url] }
      : { issuer: url, token_endpoint: `${url}/oauth/token` };
  for (const at of [path, `${path}/`]) expect(await read(at)).toMatchObject(expected);
  const headers = { origin: 'https://inspector.test' };
  const answer = await fetch(url + path, { headers });
  expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
});

test('when a client asks for the resource with a query, then the resource is named with it', async () => {
  expect(await read('/.well-known/oauth-protected-resource/mcp?toolsets=all')).toMatchObject({
    resource: `${server().url}/mcp?toolsets=all`,
  });
});

test('when a page is of any origin, then it may read this, register and get tokens, and no more', async () => {
  const headers = { origin: 'https://inspector.test' };
  const allowed = async (path: string, init: RequestInit = {}) =>
    (await fetch(server().url + path, { headers, ...init })).headers.get('access-control-allow-origin');
  for (const path of [
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource/mcp',
    '/oauth/jwks',
  ])
    expect([path, await allowed(path)]).toEqual([path, '*']);
  for (const path of ['/oauth/register', '/oauth/token', '/oauth/revoke']) {
    expect([path, await allowed(path, { method: 'OPTIONS' })]).toEqual([path, '*']);
    expect([path, await allowed(path, { method: 'POST' })]).toEqual([path, '*']);
  }
  for (const path of ['/oauth/authorize', '/oauth/device', '/v2/api-keys'])
    expect([path, await allowed(path)]).toEqual([path, null]);
});
