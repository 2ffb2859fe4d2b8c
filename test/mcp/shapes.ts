import type { Arguments } from './mcp-fixture.ts';

/** The arguments that clients really send a tool, made from its own input schema: so a new tool is swept as it comes. */

export interface ListedTool {
  readonly name: string;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined;
}

interface Property {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly items?: Property;
}

interface InputSchema {
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
}

/** A call, and what its answer has to be. */
export interface Shape {
  readonly tool: string;
  readonly given: Arguments | undefined;
  /** In words, for the report of a failure. */
  readonly says: string;
  /** Another call that must be answered the same. */
  readonly same_as?: Arguments;
  /** Its values are what the schema says, so that a client may hold them against it. */
  readonly as_published?: boolean;
  /** Must be refused, naming this input. */
  readonly refused?: string;
}

/** Values that are there to be found, by the names of inputs; where a tool needs one of several inputs, which. */
export interface KnownInputs {
  readonly values: Arguments;
  readonly needs: Readonly<Record<string, readonly string[]>>;
}

export function shapesOf(tool: ListedTool, { values, needs }: KnownInputs): Shape[] {
  const { properties = {}, required = [] } = tool.inputSchema as InputSchema;
  const native = (name: string) => values[name] ?? anyOf(properties[name]);
  const least = [...new Set([...required, ...(needs[tool.name] ?? [])])].filter((name) => name in properties);
  const base = Object.fromEntries(least.map((name) => [name, native(name)]));
  const shape = (says: string, given: Arguments | undefined, more: Partial<Shape> = {}): Shape => ({
    tool: tool.name,
    says: `${tool.name}: ${says}`,
    given,
    ...more,
  });
  const shapes = Object.entries(properties).flatMap(([name, property]) => {
    const with_it = { ...base, [name]: native(name) };
    const { [name]: _, ...without } = base;
    const is_required = required.includes(name);
    const absence = is_required ? { refused: name } : { same_as: without };
    return [
      shape(`${name} as it is published`, with_it, { as_published: true }),
      shape(`${name} as text`, { ...base, [name]: asText(native(name)) }, { same_as: with_it }),
      shape(`${name} null`, { ...base, [name]: null }, absence),
      // Where it need not be there, that is what the tool needs alone.
      ...(is_required ? [shape(`${name} absent`, without, absence)] : []),
      ...wrongFor(property).map((value) =>
        shape(`${name} ${JSON.stringify(value)}`, { ...base, [name]: value }, { refused: name }),
      ),
    ];
  });
  const all = Object.fromEntries(Object.keys(properties).map((name) => [name, null]));
  return [
    shape('what it needs', base, { as_published: true }),
    shape('no arguments', undefined, required[0] === undefined ? {} : { refused: required[0] }),
    shape('null for each that it does not need', { ...all, ...base }, { same_as: base }),
    shape('an input that it does not have', { ...base, no_such_input: 1 }, { refused: 'no_such_input' }),
    ...shapes,
  ];
}

function anyOf(property: Property = {}): unknown {
  const least = Math.max(property.minimum ?? 1, 1);
  const ofType: Readonly<Record<string, unknown>> = {
    integer: least,
    number: least,
    boolean: true,
    array: property.items === undefined ? [] : [anyOf(property.items)],
    object: {},
  };
  return property.enum?.[0] ?? ofType[property.type ?? ''] ?? 'x';
}

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

const wrong: Readonly<Record<string, readonly unknown[]>> = {
  integer: ['many', {}],
  number: ['many', {}],
  boolean: ['maybe', 1],
  array: ['["unfinished"', { a: 1 }],
  object: ['{"unfinished"', [1]],
  string: [{ a: 1 }, true],
};

const wrongFor = ({ type, enum: words }: Property): readonly unknown[] =>
  words === undefined ? (wrong[type ?? ''] ?? []) : ['no such word', 7];
