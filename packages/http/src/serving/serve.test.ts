import { expect, test } from 'vitest';
import { z } from 'zod';
import { ALL_WORKSPACES, endpoint, refusedEndpoint, type Scope } from '@roadstead/contracts';
import { createSigner, createSigningKey, createVerifier } from './assertions.ts';
import { silentLog } from '@roadstead/kit';
import { serve } from './serve.ts';

const contract = {
  listThings: endpoint({ method: 'GET', path: '/things', summary: 'Lists', access: 'traces:read' }),
  queryThings: endpoint({
    method: 'POST',
    path: '/things/query',
    summary: 'Queries',
    access: ['traces:read', 'prompts:read'],
    workspace: 'any',
  }),
  deleteThing: endpoint({
    method: 'DELETE',
    path: '/things/{thing_id}',
    summary: 'Deletes',
    params: z.object({ thing_id: z.string() }),
    access: 'traces:admin',
    success: { status: 204 },
  }),
  patchThing: refusedEndpoint('PATCH /things/{thing_id}', {
    summary: 'Changes',
    access: 'traces:write',
    because: 'Things stay as they are.',
  }),
  paintThing: refusedEndpoint('POST /things/{thing_id}/paint', {
    summary: 'Paints',
    access: 'traces:write',
    because: 'Things have no colour here.',
  }),
  oldThings: endpoint({
    method: 'GET',
    path: '/things/old',
    summary: 'Lists as before',
    access: 'traces:read',
    sunset: '2027-01-31',
  }),
  signThing: endpoint({ method: 'POST', path: '/signed', summary: 'Signs', auth: 'signed' }),
  readHealth: endpoint({ method: 'GET', path: '/health', summary: 'Answers', auth: 'public' }),
  readFile: endpoint({ method: 'GET', path: '/file', summary: 'Streams', auth: 'public' }),
};

/** How many files were closed before they were read to their end. */
let closed = 0;
const signer = createSigner(createSigningKey());
const served = serve(
  contract,
  {
    listThings: async () => Response.json([]),
    queryThings: async ({ workspace_id }) => Response.json({ workspace_id }),
    deleteThing: async () => undefined,
    oldThings: async () => Response.json([]),
    signThing: async () => Response.json({}),
    readHealth: async () => Response.json({ ok: true }),
    readFile: async () =>
      new Response(new ReadableStream({ cancel: () => void (closed += 1) }), {
        headers: { 'content-length': '1000', etag: '"a"' },
      }),
  },
  { service: 'test', verify: createVerifier(signer.public_keys, { audience: 'platform' }), log: silentLog },
);

async function call(
  method: string,
  path: string,
  scopes: Scope[] = [],
  { workspace_id = 'w', actor = 'key:test' } = {},
) {
  const assertion = signer.sign({ workspace_id, actor, scopes }, 'platform');
  const answer = await served.fetch(new Request(`http://test${path}`, { method }), { assertion });
  const text = await answer.text();
  return { status: answer.status, allow: answer.headers.get('allow'), text };
}

test('when an endpoint retires, then every answer says so and when', async () => {
  for (const headers of [
    undefined,
    { assertion: signer.sign({ workspace_id: 'w', actor: 'key:test', scopes: ['admin'] }, 'platform') },
  ]) {
    const answer = await served.fetch(new Request('http://test/things/old'), headers ?? {});
    expect(answer.headers.get('deprecation')).toBe('true');
    expect(answer.headers.get('sunset')).toBe('Sun, 31 Jan 2027 00:00:00 GMT');
  }
  const other = await served.fetch(new Request('http://test/health'));
  expect(other.headers.has('deprecation')).toBe(false);
});

test('when a call lacks the access, then it is answered 403 with the scope that is missing', async () => {
  expect(await call('GET', '/things', ['traces:read'])).toMatchObject({ status: 200 });
  expect(await call('GET', '/things', ['reader'])).toMatchObject({ status: 200 });
  const refused = await call('GET', '/things', ['traces:write', 'listener']);
  expect(refused).toMatchObject({ status: 403, text: expect.stringContaining('scope traces:read') });
  const either = await call('POST', '/things/query', ['traces:write']);
  expect(either).toMatchObject({ status: 403, text: expect.stringContaining('traces:read or prompts:read') });
  expect(await call('POST', '/things/query', ['prompts:read'])).toMatchObject({ status: 200 });
});

test('when only the head of a file is asked for, then the file is closed', async () => {
  closed = 0;
  const answer = await served.fetch(new Request('http://test/file', { method: 'HEAD' }));
  expect([answer.status, await answer.text(), closed]).toEqual([200, '', 1]);
  expect([answer.headers.get('content-length'), answer.headers.get('etag')]).toEqual(['1000', '"a"']);
});

test('when an endpoint will never be built, then it says why', async () => {
  expect(await call('POST', '/things/1/paint', ['admin'])).toMatchObject({
    status: 501,
    text: JSON.stringify({ detail: 'Things have no colour here.' }),
  });
});

test('when a key is of every workspace, then it must name one, unless the endpoint is about any', async () => {
  const refused = await call('GET', '/things', ['admin'], { workspace_id: ALL_WORKSPACES });
  expect([refused.status, JSON.parse(refused.text)]).toEqual([
    403,
    {
      detail: expect.stringContaining('requires workspace specification'),
      error: 'org_scoped_key_requires_workspace',
    },
  ]);
  expect(await call('POST', '/things/query', ['admin'], { workspace_id: ALL_WORKSPACES })).toMatchObject({
    status: 200,
    text: '{"workspace_id":"*"}',
  });
});

test('when an endpoint is signed, then only our services call it, and for one workspace only', async () => {
  const service = { actor: 'service:test' };
  expect(await call('POST', '/signed', ['admin'])).toMatchObject({ status: 401 });
  expect(await call('POST', '/signed', [], service)).toMatchObject({ status: 200 });
  expect(await call('POST', '/signed', [], { ...service, workspace_id: ALL_WORKSPACES })).toMatchObject({
    status: 403,
  });
});

test.each([
  ['PUT', '/things', 405, 'GET, HEAD, OPTIONS'],
  ['GET', '/things/query', 405, 'DELETE, OPTIONS, PATCH, POST'],
  ['GET', '/things/query/', 405, 'DELETE, OPTIONS, PATCH, POST'],
  ['HEAD', '/things/one', 405, 'DELETE, OPTIONS, PATCH'],
  ['OPTIONS', '/things', 204, 'GET, HEAD, OPTIONS'],
  ['OPTIONS', '/things/query', 204, 'DELETE, OPTIONS, PATCH, POST'],
  ['HEAD', '/health', 200, null],
  ['PATCH', '/things/query', 501, null],
  ['OPTIONS', '/nothing', 404, null],
  ['GET', '/things/one/two', 404, null],
])('when %s %s is called, then it is %d and allows %s', async (method, path, status, allow) => {
  expect(await call(method, path, ['admin'])).toMatchObject({ status, allow });
});

test('when the process says who calls, then it is asked only where a key is needed', async () => {
  let asked = 0;
  const identify = async () => {
    asked += 1;
    return { workspace_id: 'w', actor: 'user:alice', scopes: ['traces:read' as const] };
  };
  const answer = (method: string, path: string) =>
    served.fetch(new Request(`http://test${path}`, { method }), { identify });
  expect((await answer('GET', '/health')).status).toBe(200);
  expect((await answer('POST', '/signed')).status).toBe(401);
  expect(asked).toBe(0);
  expect((await answer('GET', '/things')).status).toBe(200);
  expect((await answer('DELETE', '/things/1')).status).toBe(403);
  expect(asked).toBe(2);
});
