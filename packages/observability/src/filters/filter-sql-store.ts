import type { EntryFamily } from '../search/term-rules.ts';
import { wordQueryText } from '../search/word-query-rules.ts';
import type { Condition, EntryTest, Test } from './filter-conditions.ts';
import type { Family, PairPart } from './filter-tree.ts';
import { pairTerms, valuesAlone } from './pair-term-rules.ts';

/** Conditions as SQL: true where the condition holds, otherwise false or null. */

/** Values of a statement, numbered in the order in which they are added. */
export class SqlValues {
  readonly values: unknown[];

  constructor(values: readonly unknown[] = []) {
    this.values = [...values];
  }

  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}

export interface SqlColumn {
  readonly sql: string;
  readonly type: 'text' | 'uuid' | 'numeric' | 'float8' | 'timestamptz' | 'boolean';
  /** Another form of equality with the column, which an index knows. */
  readonly is?: Readonly<Record<string, string>>;
}

type SqlSides = Readonly<Partial<Record<PairPart, SqlColumn>>>;

/** The place of a family's pairs. */
export interface SqlPairs {
  /** A `from` item with a row for each pair; may refer to the row that is filtered. */
  readonly from: string;
  readonly sides: SqlSides;
  /** The column of terms, for families that are indexed. */
  readonly terms?: { readonly sql: string; readonly family: EntryFamily };
}

/** The subject of a filter, in SQL. */
export interface SqlSource {
  readonly columns: Readonly<Record<string, SqlColumn>>;
  /** A `text[]`. */
  readonly tags?: string;
  readonly pairs: Readonly<Partial<Record<Family, SqlPairs>>>;
  /** A `tsvector`. */
  readonly words?: string;
}

/** One condition as SQL. */
export function conditionSql(
  condition: Condition,
  { source, values }: { readonly source: SqlSource; readonly values: SqlValues },
): string {
  const inner = (one: Condition) => conditionSql(one, { source, values });
  switch (condition.kind) {
    case 'all':
      return joined(condition.of.map(inner), 'and');
    case 'any':
      return joined(condition.of.map(inner), 'or');
    case 'not':
      return `((${inner(condition.of)}) is not true)`;
    case 'column': {
      const column = source.columns[condition.name];
      if (column === undefined) throw new Error(`There is no SQL for the field ${condition.name}.`);
      return testSql(column, condition.test, values);
    }
    case 'tag':
      return tagSql(source.tags ?? 'null::text[]', condition.test, values);
    case 'words': {
      const query = wordQueryText(condition.words, condition);
      return query === undefined
        ? 'true'
        : `${source.words ?? 'null'} @@ ${values.add(query, 'text')}::tsquery`;
    }
    case 'entry': {
      const pairs = source.pairs[condition.family];
      if (pairs === undefined) throw new Error(`There is no SQL for pairs of ${condition.family}.`);
      return pairSql(pairs, condition.tests, values);
    }
  }
}

function joined(parts: readonly string[], by: 'and' | 'or'): string {
  if (parts.length === 0) return by === 'and' ? 'true' : 'false';
  return parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(` ${by} `)})`;
}

const operators = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** The form of a text that can be compared with a number. */
const numeric = String.raw`'^-?\d{1,100}(\.\d{1,100})?([eE][+-]?\d{1,2})?$'`;

function testSql(column: SqlColumn, test: Test, values: SqlValues): string {
  const { sql, type } = column;
  switch (test.by) {
    case 'absent':
      return `${sql} is null`;
    case 'like':
      return `${sql} like ${values.add(test.pattern, 'text')}`;
    case 'in':
      return `${sql} = any (${values.add(test.values.map(String), `text[]`)}${type === 'text' ? '' : `::${type}[]`})`;
    case 'eq':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return comparedSql(column, test, values);
  }
}

function comparedSql(
  column: SqlColumn,
  test: Extract<Test, { readonly by: keyof typeof operators }>,
  values: SqlValues,
): string {
  const { sql, type } = column;
  const known = test.by === 'eq' ? column.is?.[String(test.value)] : undefined;
  if (known !== undefined) return known;
  const operator = operators[test.by];
  if (type !== 'text') return `${sql} ${operator} ${values.add(String(test.value), 'text')}::${type}`;
  if (typeof test.value === 'number')
    return `case when ${sql} ~ ${numeric} then ${sql}::numeric ${operator} ${values.add(String(test.value), 'text')}::numeric else false end`;
  const order = test.by === 'eq' ? '' : ' collate "C"';
  return `${sql}${order} ${operator} ${values.add(String(test.value), 'text')}`;
}

function tagSql(tags: string, test: Test, values: SqlValues): string {
  if (test.by === 'absent') return `coalesce(cardinality(${tags}), 0) = 0`;
  if (test.by === 'eq') return `${values.add(String(test.value), 'text')} = any (${tags})`;
  if (test.by === 'in') return `${tags} && ${values.add(test.values.map(String), 'text[]')}`;
  return `exists (select from unnest(${tags}) as tag where ${testSql({ sql: 'tag', type: 'text' }, test, values)})`;
}

function pairSql(pairs: SqlPairs, tests: readonly EntryTest[], values: SqlValues): string {
  const terms = pairs.terms && pairTerms(pairs.terms.family, tests);
  if (pairs.terms !== undefined && terms !== undefined)
    return `${pairs.terms.sql} && ${values.add(terms, 'bigint[]')}`;
  const values_alone = pairs.terms && valuesAlone(tests);
  if (values_alone !== undefined)
    return `exists (select from ${pairs.from} where ${pairs.sides.value?.sql} = any (${values.add(values_alone, 'text[]')}))`;
  const conditions = tests.map(({ part, test, negated }) => {
    const side = pairs.sides[part];
    if (side === undefined) throw new Error(`There is no SQL for ${part} of a pair.`);
    const sql = testSql(side, test, values);
    return negated ? `((${sql}) is not true)` : sql;
  });
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
  return `exists (select from ${pairs.from}${where})`;
}
