import type { z } from 'zod';
import type { Access } from '../endpoints/access.ts';
import {
  acceptedAccess,
  type Contract,
  type Endpoint,
  otherSuccesses,
  type OtherSuccess,
} from '../endpoints/endpoint.ts';
import { ROADSTEAD_VERSION } from '../values/version.ts';
import { errorResponses, errorSchemas } from './responses.ts';
import { Schemas } from './schemas.ts';

type Json = Record<string, unknown>;

/**
 * The OpenAPI 3.1 document of a contract. An endpoint is described once, at its first mount; the other mounts are
 * `servers`. Refused endpoints are there too, marked `x-refused` with the reason, and answer 501.
 */
export function openapiOf(service: string, contract: Contract): Json {
  const endpoints = Object.values(contract);
  const schemas = new Schemas();
  const responses = new Map<string, object>();
  const usual = usualServers(endpoints);
  const paths: Record<string, Json> = {};
  for (const [operation, endpoint] of Object.entries(contract)) {
    for (const [at, { path, servers }] of placesOf(endpoint).entries()) {
      const operationId = at === 0 ? operation : `${operation}${at + 1}`;
      (paths[path] ??= {})[endpoint.method.toLowerCase()] = {
        operationId,
        ...describe(endpoint, path, schemas),
        responses: { ...successOf(endpoint, schemas), ...errorResponses(endpoint, responses) },
        ...(servers.join() === usual.join() ? {} : { servers: serverList(servers) }),
      };
    }
  }
  return schemas.finish({
    openapi: '3.1.0',
    info: {
      title: `Roadstead ${service}`,
      version: ROADSTEAD_VERSION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: service === 'agent-server' ? agentServers : serverList(usual),
    paths,
    components: {
      parameters: { Workspace: workspaceParameter },
      responses: Object.fromEntries([...responses].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      schemas: errorSchemas(endpoints),
      securitySchemes: {
        api_key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
        tenant_id: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Tenant-Id',
          description: 'The workspace, beside a key or a token; needed only with one that reaches several',
        },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  });
}

/** The first mount belongs to the path. A mount that ends in it is a server; another one gets a path of its own. */
function placesOf({
  mounts,
  path,
}: Endpoint): { readonly path: string; readonly servers: readonly string[] }[] {
  const [first = '', ...others] = mounts;
  const servers = [
    '',
    ...others.filter((one) => one.endsWith(first)).map((one) => one.slice(0, one.length - first.length)),
  ];
  const apart = others.filter((one) => !one.endsWith(first));
  return [{ path: first + path, servers }, ...apart.map((one) => ({ path: one + path, servers: [''] }))];
}

/** The servers of most endpoints, so that few must name their own. */
function usualServers(endpoints: readonly Endpoint[]): readonly string[] {
  const counted = Map.groupBy(
    endpoints.flatMap((endpoint) => placesOf(endpoint).map(({ servers }) => servers)),
    (servers) => servers.join(),
  );
  return [...counted.values()].toSorted((a, b) => b.length - a.length)[0]?.[0] ?? [''];
}

const serverList = (servers: readonly string[]) => servers.map((url) => ({ url: url === '' ? '/' : url }));
const agentServers = [{ url: '/agents/{slug}', variables: { slug: { default: 'agent' } } }];

const workspaceParameter = {
  name: 'X-Tenant-Id',
  in: 'header',
  required: false,
  description: 'The workspace; needed only with a key that reaches several',
  schema: { type: 'string', format: 'uuid' },
};

function describe(endpoint: Endpoint, path: string, schemas: Schemas): Json {
  const parameters = parametersOf(endpoint, path, schemas);
  const body = requestBody(endpoint, schemas);
  return {
    summary: endpoint.summary,
    security: acceptedAccess(endpoint).flatMap((access) => securityOf(endpoint, access)),
    ...(endpoint.sunset === undefined ? {} : { deprecated: true }),
    ...(endpoint.refused === true ? { 'x-refused': endpoint.because } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
  };
}

/** A key or a token, each with the workspace or without. */
function securityOf({ workspace }: Endpoint, access: Access): object[] {
  const alone = [{ api_key: [access] }, { bearer: [access] }];
  return workspace === 'any' ? alone : alone.flatMap((one) => [{ ...one, tenant_id: [] }, one]);
}

function requestBody(
  { body, raw, method, media_type, example }: Endpoint,
  schemas: Schemas,
): Json | undefined {
  const examples = example?.body === undefined ? {} : { example: example.body };
  if (body !== undefined)
    return {
      required: true,
      content: { 'application/json': { schema: schemas.of(body, 'input'), ...examples } },
    };
  if (raw !== true || method === 'GET' || method === 'DELETE') return undefined;
  return { required: true, content: { [media_type ?? 'application/json']: { schema: {}, ...examples } } };
}

function parametersOf(endpoint: Endpoint, path: string, schemas: Schemas): object[] {
  const inPath = propertiesOf(endpoint.params, schemas);
  const inQuery = propertiesOf(endpoint.query, schemas);
  const example = (endpoint.example?.query ?? {}) as Json;
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
      name,
      in: 'path',
      required: true,
      schema: inPath.properties[name] ?? { type: 'string' },
    })),
    ...Object.entries(inQuery.properties).map(([name, schema]) => ({
      name,
      in: 'query',
      required: inQuery.required.includes(name),
      schema,
      ...(name in example ? { example: example[name] } : {}),
    })),
    ...(endpoint.errors?.includes(412) === true ? [conditionOf('If-Match')] : []),
    ...(otherSuccesses(endpoint).includes(304) ? [conditionOf('If-None-Match')] : []),
    ...(endpoint.auth === 'key' ? [{ $ref: '#/components/parameters/Workspace' }] : []),
  ];
}

const conditionOf = (name: string) => ({ name, in: 'header', required: false, schema: { type: 'string' } });

function propertiesOf(schema: z.ZodType | undefined, schemas: Schemas) {
  const { properties = {}, required = [] } = (schema === undefined ? {} : schemas.of(schema, 'input')) as {
    properties?: Json;
    required?: string[];
  };
  return { properties, required };
}

function successOf(endpoint: Endpoint, schemas: Schemas): Json {
  if (endpoint.refused === true) return {};
  const { status, body, media_types = [] } = endpoint.success;
  const content = Object.fromEntries(
    body === undefined
      ? media_types.map((type) => [type, { schema: type.startsWith('text/') ? { type: 'string' } : {} }])
      : [['application/json', { schema: schemas.of(body, 'output') }]],
  );
  return {
    [String(status)]: { description: 'Success', ...(Object.keys(content).length === 0 ? {} : { content }) },
    ...Object.fromEntries(
      otherSuccesses(endpoint).map((other) => [String(other), otherSuccess(other, content)]),
    ),
  };
}

function otherSuccess(status: OtherSuccess, content: Json): Json {
  if (status === 206) return { description: 'Success, a part of the body', content };
  return status === 207
    ? { description: 'Success in part', content }
    : { description: 'Success, without a body' };
}
