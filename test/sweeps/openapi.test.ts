import { useFixture } from '@roadstead/testing';
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, expect, test } from 'vitest';
import { ROADSTEAD_VERSION } from '@roadstead/contracts';
import { originServices, services } from '@roadstead/contracts/services';
import { dataHome, startPlatform } from '../support/platform.ts';

/** The served OpenAPI documents, held against a validator and against what is served. */

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, object>>;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly servers?: readonly { readonly url: string }[];
  readonly 'x-refused'?: string;
}
interface Document {
  readonly info: { readonly version: string };
  readonly components: { readonly securitySchemes: Readonly<Record<string, object>> };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const documents = new Map<string, Document>();
const home = useFixture(dataHome);
const platform = useFixture(() => startPlatform(home().path));
beforeAll(async () => {
  for (const name of Object.keys(services))
    documents.set(name, (await (await fetch(`${platform().url}/openapi/${name}.json`)).json()) as Document);
});

/** Every operation at every address, as the document has it. */
function operationsOf(document: Document) {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      (operation.servers ?? document.servers).map(({ url }) => ({
        method: method.toUpperCase(),
        address: (url === '/' ? '' : url) + path,
        operation,
      })),
    ),
  );
}

test('when the documents are read, then each is valid, whole and of this version', async () => {
  for (const [name, document] of documents) {
    const validator = new Validator();
    expect([name, await validator.validate({ ...structuredClone(document) })]).toEqual([
      name,
      { valid: true },
    ]);
    expect(document.info.version).toBe(ROADSTEAD_VERSION);
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    const templates = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'));
    expect(new Set(templates).size).toBe(templates.length);
  }
  expect(documents.size).toBe(6);
});

test('when a path is asked, then it answers the methods that the document has, and only these', async () => {
  let asked = 0;
  for (const name of Object.keys(originServices)) {
    const operations = operationsOf(documents.get(name) as Document);
    for (const address of new Set(operations.map((one) => one.address))) {
      const path = filled(address);
      const documented = operations
        .filter((one) => new RegExp(`^${filled(one.address, '[^/]+')}$`).test(path))
        .map(({ method }) => method);
      const answer = await fetch(platform().url + path, { method: 'OPTIONS' });
      expect([address, answer.status, methodsIn(answer)]).toEqual([
        address,
        204,
        [...new Set(documented)].sort(),
      ]);
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(
        (one) => !documented.includes(one),
      )) {
        const refused = await fetch(platform().url + path, { method });
        expect([method, address, refused.status]).toEqual([method, address, 405]);
        expect(methodsIn(refused)).toEqual([...new Set(documented)].sort());
        asked += 1;
      }
    }
  }
  expect(asked).toBeGreaterThan(1500);
});

test('when an operation answers, then the document says so, and only what is refused is 501', async () => {
  let asked = 0;
  for (const name of Object.keys(originServices)) {
    for (const { method, address, operation } of operationsOf(documents.get(name) as Document)) {
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{}' };
      for (const headers of [{}, { 'x-api-key': platform().key, 'content-type': 'application/json' }]) {
        const answer = await fetch(platform().url + filled(address), { method, headers, ...body });
        const documented = Object.keys(operation.responses);
        expect([method, address, documented]).toEqual([
          method,
          address,
          expect.arrayContaining([`${answer.status}`]),
        ]);
        expect([address, answer.status === 501 || answer.status === 401]).toEqual([
          address,
          operation['x-refused'] !== undefined || answer.status === 401,
        ]);
        await answer.body?.cancel();
        asked += 1;
      }
    }
  }
  expect(asked).toBeGreaterThan(1000);
});

const filled = (address: string, by = '11111111-1111-4111-8111-111111111111') =>
  address.replaceAll(/\{\w+\}/g, by);

const methodsIn = (answer: Response) =>
  (answer.headers.get('allow') ?? '')
    .split(', ')
    .filter((method) => method !== 'HEAD' && method !== 'OPTIONS');

/** A request for each operation that is built and still refuses something for good. */
const refused: Readonly<
  Record<string, { readonly path: string; readonly method?: string; readonly body: object }>
> = {
  queryRunsV2: { path: '/v2/runs/query', body: { project_ids: ['{project}'], ai_query: 'slow ones' } },
  queryTraces: { path: '/v2/traces/query', body: { project_id: '{project}', ai_query: 'slow ones' } },
  queryThreads: { path: '/v2/threads/query', body: { project_id: '{project}', ai_query: 'slow ones' } },
  putWorkspaceSecret: {
    path: '/workspaces/current/secrets/A',
    method: 'PUT',
    body: { value: 'b', configs: [{ host: 'a.example' }] },
  },
  patchOrganizationInfo: {
    path: '/orgs/current/info',
    method: 'PATCH',
    body: { public_sharing_disabled: true },
  },
};

test('when an operation that is built lists 501, then there is a request that it answers so', async () => {
  const listing = [...documents.values()].flatMap((document) =>
    operationsOf(document).flatMap(({ operation }) =>
      operation['x-refused'] === undefined && '501' in operation.responses ? [operation.operationId] : [],
    ),
  );
  expect(new Set(listing)).toEqual(new Set(Object.keys(refused)));
  const headers = { 'x-api-key': platform().key, 'content-type': 'application/json' };
  const made = await fetch(`${platform().url}/api/sessions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: 'asked by a model' }),
  });
  const { id } = (await made.json()) as { id: string };
  for (const [name, { path, method = 'POST', body }] of Object.entries(refused)) {
    const text = JSON.stringify(body).replaceAll('{project}', id);
    const answer = await fetch(`${platform().url}/api${path}`, { method, headers, body: text });
    expect([name, answer.status]).toEqual([name, 501]);
  }
});

test('when a deployment is created, then the document names a key, a tenant id and a bearer', () => {
  const document = documents.get('control-plane') as Document;
  const create = operationsOf(document).find(({ operation }) => operation.operationId === 'createDeployment');
  const named = new Set((create?.operation.security ?? []).flatMap((one) => Object.keys(one)));
  const { securitySchemes } = document.components;
  expect([...named].map((name) => securitySchemes[name])).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'apiKey', in: 'header', name: 'X-Api-Key' }),
      expect.objectContaining({ type: 'apiKey', in: 'header', name: 'X-Tenant-Id' }),
      expect.objectContaining({ type: 'http', scheme: 'bearer' }),
    ]),
  );
  expect(named.size).toBe(3);
});
