import { malformed, Problem } from '@roadstead/kit';
import { parseFilter } from '../filters/filter-parser.ts';
import type { Comparison, Fields, Filter } from '../filters/filter-tree.ts';
import type { ExampleCondition } from './example-store.ts';

/** The filter language over examples: their metadata, by `has` and `exists`, joined by `and`, `or` and `not`. */

const exampleFields: Fields = { metadata: { type: 'object', family: 'metadata' } };

const refusal = (sentence: string) => malformed(['query', 'filter'], sentence);

/** @throws Problem `malformed` where the text is no filter, or asks for more than examples can be filtered by. */
export function exampleCondition(text: string | undefined): ExampleCondition | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const filter = parsed(text);
  requireSupported(filter);
  return (first_parameter) => {
    const values: unknown[] = [];
    const parameter = (value: unknown) => `$${first_parameter + values.push(value) - 1}`;
    return { sql: sqlOf(filter, parameter), values };
  };
}

function parsed(text: string): Filter {
  try {
    return parseFilter(text, { parameter: 'filter', fields: exampleFields });
  } catch (error) {
    if (error instanceof Problem && error.kind === 'invalid') throw refusal(error.sentence);
    throw error;
  }
}

function requireSupported(filter: Filter): void {
  switch (filter.kind) {
    case 'and':
    case 'or':
      filter.of.forEach(requireSupported);
      return;
    case 'not':
      requireSupported(filter.of);
      return;
    case 'search':
    case 'comparison':
      if (filter.kind === 'search' || !isSupported(filter))
        throw refusal('examples are filtered by has(metadata, …) and exists(metadata, …) only');
  }
}

const isSupported = ({ comparator, field, value }: Comparison) =>
  (comparator === 'has' || comparator === 'exists') && field.path === undefined && typeof value === 'string';

function sqlOf(filter: Filter, parameter: (value: unknown) => string): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return `(${filter.of.map((one) => sqlOf(one, parameter)).join(` ${filter.kind} `)})`;
    case 'not':
      return `not ${sqlOf(filter.of, parameter)}`;
    case 'search':
      return 'false';
    case 'comparison': {
      const value = parameter(filter.value);
      const metadata = `coalesce(e.metadata, '{}')`;
      return filter.comparator === 'has'
        ? `${metadata} @> ${value}::text::jsonb`
        : `(${metadata} ? ${value} or ${metadata} #> string_to_array(${value}, '.') is not null)`;
    }
  }
}
