import { z } from 'zod';
import { Head, engineCalls, hostCalls, hostTells } from '../../packages/contracts/src/host/protocol.ts';
import type { Shape, Shapes } from '../../packages/contracts/src/host/shape-check.ts';
import { writeJsonLines } from './json-lines.ts';

/** The host protocol as documents: a JSON Schema for each method, a table of them, and the shapes by which frames are checked. */

interface Method {
  readonly doc: string;
  readonly params: z.ZodType;
  readonly result?: z.ZodType;
}

type Methods = Readonly<Record<string, Method>>;

const sides: readonly { readonly folder: string; readonly title: string; readonly methods: Methods }[] = [
  { folder: 'engine-asks', title: 'Questions of the engine', methods: engineCalls },
  { folder: 'host-asks', title: 'Questions of the host', methods: hostCalls },
  { folder: 'host-tells', title: 'Messages of the host', methods: hostTells },
];

/** Files below `docs/host-protocol`, by path. */
export function hostProtocolFiles(): ReadonlyMap<string, string> {
  const schemas = sides.flatMap(({ folder, methods }) =>
    Object.entries(methods).map(([name, method]): [string, string] => [
      `${folder}/${name}.json`,
      document({ title: name, description: method.doc }, messagesOf(method)),
    ]),
  );
  const head = document(
    { title: 'head', description: 'The JSON at the beginning of each frame.' },
    { head: Head },
  );
  return new Map([...schemas, ['head.json', head], ['methods.md', table()]]);
}

/** The schemas by which engine and hosts check frames, without words. */
function frameTables(): Readonly<Record<string, unknown>> {
  const pick = (methods: Methods, part: 'params' | 'result') =>
    z.object(
      Object.fromEntries(
        Object.entries(methods).map(([name, method]) => [name, method[part] ?? z.unknown()]),
      ),
    );
  const { properties = {}, $defs = {} } = schemaOf(
    z.object({
      engine_questions: pick(engineCalls, 'params'),
      engine_answers: pick(hostCalls, 'result'),
      host_questions: pick(hostCalls, 'params'),
      host_answers: pick(engineCalls, 'result'),
      host_messages: pick(hostTells, 'params'),
    }),
  );
  const tables = Object.fromEntries(
    Object.entries(properties).map(([name, one]) => [name, propertiesOf(one)]),
  );
  const defs = Object.fromEntries(Object.entries($defs).map(([name, one]) => [name, wordless(one)]));
  return { ...tables, $defs: defs };
}

/** A module of them, since a host loads no zod of ours. */
export function frameShapes(): string {
  const tables = frameTables();
  return [
    "import type { Shapes } from './shape-check.ts';",
    '',
    '/** The schemas of the host protocol, for the checks of frames. `npm run docs` writes them from `protocol.ts`. */',
    `export const shapes: Readonly<Record<'${Object.keys(tables).join("' | '")}', Shapes>> = ${writeJsonLines(tables, 2)};`,
    '',
  ].join('\n');
}

/** The same as JSON, for hosts in other languages. */
export const frameShapesJson = (): string => `${writeJsonLines(frameTables(), 2)}\n`;

const messagesOf = ({ params, result }: Method): Readonly<Record<string, z.ZodType>> =>
  result === undefined ? { params } : { params, result };

function document(
  words: Readonly<Record<string, string>>,
  parts: Readonly<Record<string, z.ZodType>>,
): string {
  const { properties, required, $defs } = schemaOf(z.object(parts));
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  return `${writeJsonLines({ $schema, ...words, type: 'object', properties, required, $defs }, 2)}\n`;
}

interface Schema extends Shape {
  readonly $defs?: Shapes;
}

const schemaOf = (schema: z.ZodType): Schema =>
  tidied(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })) as Schema;

/** A schema without bounds that only say what JavaScript counts exactly, and without what JSON says of names of members anyway. */
function tidied(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(tidied);
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.entries(schema).filter(
    ([name, value]) =>
      !(name === 'minimum' && value === Number.MIN_SAFE_INTEGER) &&
      !(name === 'maximum' && value === Number.MAX_SAFE_INTEGER) &&
      name !== 'propertyNames',
  );
  return Object.fromEntries(members.map(([name, value]) => [name, tidied(value)]));
}

const propertiesOf = ({ properties = {} }: Shape) =>
  Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, wordless(one)]));

/** A schema without words, in the few keywords that the checks know. */
function wordless(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(wordless);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { type, items, description, minItems: _least, maxItems, ...rest } = schema as Wordy;
  if (Array.isArray(type)) return { anyOf: type.map((one) => wordless({ ...rest, items, type: one })) };
  const others = Object.fromEntries(Object.entries(rest).map(([name, one]) => [name, wordless(one)]));
  return {
    ...(type === undefined ? {} : { type: wordless(type) }),
    // A property may be named so; its description is no text then.
    ...(typeof description === 'object' ? { description: wordless(description) } : {}),
    ...(typeof items === 'object' ? { items: wordless(items) } : {}),
    // The length of a tuple follows from its items.
    ...(maxItems === undefined || 'prefixItems' in rest ? {} : { maxItems }),
    ...others,
  };
}

interface Wordy {
  readonly type?: unknown;
  readonly items?: unknown;
  readonly description?: unknown;
  readonly minItems?: unknown;
  readonly maxItems?: unknown;
}

function table(): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  return [
    '# Methods of the host protocol',
    '',
    '[README.md](README.md) tells how frames are written and handled. Each method links to its JSON Schema. Generated by',
    '`npm run docs`.',
    '',
    ...sides.flatMap(({ folder, title, methods }) => [
      `## ${title}`,
      '',
      '| method | what it does |',
      '| --- | --- |',
      ...Object.entries(methods).map(
        ([name, { doc }]) => `| [\`${name}\`](${folder}/${name}.json) | ${cell(doc)} |`,
      ),
      '',
    ]),
  ].join('\n');
}
