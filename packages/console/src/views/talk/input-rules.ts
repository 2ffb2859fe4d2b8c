import { isObject } from '../../words/object-rules.ts';

/** What a graph takes as its input, by its JSON Schema. */

/** Whether one can write to it in words. A graph whose schema is not known may. */
export function takesMessages(schema: unknown): boolean {
  if (!isObject(schema) || !isObject(schema['properties'])) return true;
  return 'messages' in schema['properties'];
}

const samples: Readonly<Record<string, unknown>> = {
  string: '',
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
  object: {},
};

/** An input to begin with: each field of the schema, empty. */
export function sampleInput(schema: unknown): Readonly<Record<string, unknown>> {
  const properties = isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => {
      const { type, default: usual } = isObject(field) ? field : {};
      return [name, usual ?? (typeof type === 'string' ? (samples[type] ?? null) : null)];
    }),
  );
}
