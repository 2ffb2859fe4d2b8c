import { z } from 'zod';
import {
  acceptedAccess,
  addresses,
  type AuthKind,
  type Contract,
  type Dialect,
  type Endpoint,
} from './endpoint.ts';

/** OpenAPI 3.1 of a contract: every address of every endpoint, the planned ones with their 501. */
export function openapiOf(service: string, contract: Contract): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [operation, endpoint] of Object.entries(contract)) {
    for (const [at, address] of addresses(endpoint).entries()) {
      const path = (paths[address] ??= {});
      path[endpoint.method.toLowerCase()] = describe(
        at === 0 ? operation : `${operation}_${at + 1}`,
        endpoint,
        address,
      );
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `Roadstead ${service}`,
      version: '0.1.0',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    paths,
    components: {
      securitySchemes: {
        api_key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}

function describe(operationId: string, endpoint: Endpoint, address: string): Record<string, unknown> {
  return {
    operationId,
    summary: endpoint.summary,
    ...(endpoint.auth === 'key'
      ? { security: [{ api_key: [] }, { bearer: [] }], 'x-access': acceptedAccess(endpoint) }
      : { security: [] }),
    parameters: parametersOf(endpoint, address),
    ...(endpoint.body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(endpoint.body, 'input') } },
          },
        }),
    ...(endpoint.raw === true && endpoint.method !== 'GET'
      ? { requestBody: { required: true, content: { '*/*': { schema: {} } } } }
      : {}),
    responses: responsesOf(endpoint),
  };
}

function parametersOf(endpoint: Endpoint, address: string): object[] {
  const query =
    endpoint.query === undefined
      ? {}
      : (schemaOf(endpoint.query, 'input') as { properties?: Record<string, unknown>; required?: string[] });
  const inPath = [...address.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries(query.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: query.required?.includes(name) === true,
    schema,
  }));
  return [...inPath, ...inQuery];
}

const authErrors: Readonly<Record<AuthKind, readonly number[]>> = {
  key: [401, 403],
  signed: [401],
  token: [403],
  public: [],
};

function responsesOf(endpoint: Endpoint): Record<string, unknown> {
  const errors =
    endpoint.planned === true
      ? [401, 501].filter((status) => status !== 401 || endpoint.auth === 'key')
      : [...authErrors[endpoint.auth], 400, 404, 422];
  const failures = Object.fromEntries(
    errors.map((status) => [
      String(status),
      {
        description: reasons[status] ?? 'Error',
        content: { [contentTypes[endpoint.dialect]]: { schema: problems[endpoint.dialect] } },
      },
    ]),
  );
  if (endpoint.planned === true) return failures;
  const { status, body } = endpoint.success;
  const content =
    body === undefined ? {} : { content: { 'application/json': { schema: schemaOf(body, 'output') } } };
  return { [String(status)]: { description: 'Success', ...content }, ...failures };
}

const reasons: Readonly<Record<number, string>> = {
  400: 'A rule between fields is broken',
  401: 'No key, or a bad one',
  403: 'The key may not do that',
  404: 'Not there, or in another workspace',
  422: 'A field has the wrong shape',
  501: 'Not built yet',
};

const contentTypes: Readonly<Record<Dialect, string>> = {
  detail: 'application/json',
  ingest: 'application/json',
  problem: 'application/problem+json',
  jsonrpc: 'application/json',
  text: 'text/plain',
};

const text = { type: 'string' };
const problems: Readonly<Record<Dialect, object>> = {
  detail: {
    type: 'object',
    required: ['detail'],
    properties: {
      detail: {
        anyOf: [
          text,
          {
            type: 'array',
            items: {
              type: 'object',
              required: ['loc', 'msg', 'type'],
              properties: {
                loc: { type: 'array', items: { anyOf: [text, { type: 'integer' }] } },
                msg: text,
                type: text,
              },
            },
          },
        ],
      },
    },
  },
  ingest: { type: 'object', required: ['error', 'details'], properties: { error: text, details: text } },
  problem: {
    type: 'object',
    required: ['type', 'title', 'status', 'detail'],
    properties: { type: text, title: text, status: { type: 'integer' }, detail: text, remedy: text },
  },
  jsonrpc: {
    type: 'object',
    required: ['jsonrpc', 'error'],
    properties: {
      jsonrpc: { const: '2.0' },
      id: {},
      error: {
        type: 'object',
        required: ['code', 'message'],
        properties: { code: { type: 'integer' }, message: text },
      },
    },
  },
  text,
};

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  const { $schema: _schema, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    reused: 'inline',
  });
  return json;
}
