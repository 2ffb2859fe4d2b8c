import { expect, test } from 'vitest';
import { z } from 'zod';
import { agentServer } from '@roadstead/contracts/agent-server';
import type { Endpoint } from '@roadstead/contracts';
import { originServices } from '@roadstead/contracts/services';

/** A list that filters or selects and is empty says as little as none, wherever something is looked for. */

const contracts = { ...originServices, agents: agentServer } as Record<string, Record<string, Endpoint>>;

interface Field {
  readonly name: string;
  readonly schema: z.ZodType;
  /** As a client sends it. */
  readonly empty: unknown;
}

const shapeOf = (schema: z.ZodType | undefined) => (schema instanceof z.ZodObject ? schema.shape : {});

function fieldsOf({ method, path, body, query }: Endpoint): Field[] {
  const at = (kind: string, empty: unknown) => (shape: object) =>
    Object.entries(shape as Record<string, z.ZodType>).map(([name, schema]) => ({
      name: `${method} ${path} ${kind} ${name}`,
      schema,
      empty,
    }));
  return [
    ...at('body', [])(shapeOf(body)),
    ...at('query', '')(shapeOf(query)),
    ...at('query', [])(shapeOf(query)),
  ];
}

/** Looks for something, and changes nothing. */
const looks = ({ method, path }: Endpoint) =>
  method === 'GET' ||
  (method === 'POST' && /\/(search|count|query|validate|stats|prebuilt|runs)$/.test(path));

/** What is no list to find something by. */
const MEANT: Readonly<Record<string, string>> = {
  'POST /store/items/search body namespace_prefix': 'the prefix of all namespaces',
  'GET /v2/listeners/{listener_id}/assignments query capabilities': 'what a listener can do: nothing',
  'GET /v2/listeners/{listener_id}/assignments query served_namespaces':
    'the namespaces in which agents run: there are none',
};
/** These begin runs: of agents, in whose bodies is what is their own, or of the playground, which looks for nothing. */
const begins = ({ path }: Endpoint) => /^\/(threads\/\{thread_id\}\/|v2\/playground\/)?runs$/.test(path);

const fields = Object.values(contracts)
  .flatMap((contract) => Object.values(contract))
  .filter((endpoint) => looks(endpoint) && !(endpoint.method === 'POST' && begins(endpoint)))
  .flatMap(fieldsOf);
const isOptionalList = ({ schema }: Field) => {
  const [absent, one] = [
    schema.safeParse(undefined),
    schema.safeParse(['11111111-1111-4111-8111-111111111111']),
  ];
  const issues = one.error?.issues.map(({ path }) => path[0]) ?? [];
  return absent.success && (one.success ? Array.isArray(one.data) : issues.every((first) => first === 0));
};
const lists = fields.filter((field) => !(field.name in MEANT)).filter(isOptionalList);

test('when a list to look for something by is empty, then it says as little as none', () => {
  expect(lists.length).toBeGreaterThan(80);
  const kept = lists.filter(({ schema, empty }) => {
    const [said, absent] = [schema.safeParse(empty), schema.safeParse(undefined)];
    // A text that is no list is refused, or stands for a list that holds it.
    if (empty === '' && (!said.success || (Array.isArray(said.data) && said.data[0] === ''))) return false;
    return JSON.stringify(said.data) !== JSON.stringify(absent.data);
  });
  expect(kept.map(({ name }) => name)).toEqual([]);
});

test('when a list is an exception to the rule, then the contracts still have it', () => {
  const names = new Set(fields.map(({ name }) => name));
  expect(Object.keys(MEANT).filter((name) => !names.has(name))).toEqual([]);
});
