/** Keyed access only: a plan that scans is always a mistake here. */
const KEYED =
  '-c enable_hashjoin=off -c enable_mergejoin=off -c enable_bitmapscan=off -c enable_seqscan=off -c plan_cache_mode=force_generic_plan';

export function withKeyedPlans(url: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}options=${encodeURIComponent(KEYED)}`;
}

/**
 * A join of a table to the rows of a `with` query by the table's primary key, which the planner can only look up.
 * Without the array it may scan the whole table once for each statement: plans are made while tables are empty, and
 * kept.
 */
export function keyed(column: string, rows: string): string {
  const name = column.slice(column.indexOf('.') + 1);
  return `${column} = any (array(select ${name} from ${rows})) and ${column} = ${rows}.${name}`;
}
