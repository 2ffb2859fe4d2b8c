import { calledModelSql, isModelCall } from '../records/counting-store.ts';
import type { SqlColumn, SqlPairs, SqlSource } from './filter-sql-store.ts';

/** The columns behind the fields of filters over runs: in `traces.runs` and, beside it, `traces.search`. */

/** Aliases of the two in a statement. */
export interface RunAliases {
  readonly runs: string;
  readonly search: string;
}

/** Beside a run, its search row where it is digested. */
export const joinedSearch = ({ runs: r, search: x }: RunAliases): string =>
  `left join traces.search ${x} on ${x}.run_id = ${r}.run_id and ${x}.workspace_id = ${r}.workspace_id
     and ${x}.tier = ${r}.tier and ${x}.week = ${r}.week`;

/**
 * The same, joined run by run: Postgres then never begins with the search rows, not even where it expects few of them
 * to pass.
 */
export const searchOfEach = ({ runs: r, search: x }: RunAliases): string =>
  `left join lateral (select * from traces.search x where x.run_id = ${r}.run_id and x.workspace_id = ${r}.workspace_id
     and x.tier = ${r}.tier and x.week = ${r}.week offset 0) ${x} on true`;

export function runSource(aliases: RunAliases): SqlSource {
  return {
    columns: { ...plainColumns(aliases), ...derivedColumns(aliases) },
    tags: `${aliases.runs}.tags`,
    words: `${aliases.search}.words`,
    pairs: pairsOf(aliases),
  };
}

const text = (sql: string): SqlColumn => ({ sql, type: 'text' });
const uuid = (sql: string): SqlColumn => ({ sql, type: 'uuid' });
const instant = (sql: string): SqlColumn => ({ sql, type: 'timestamptz' });
const number = (sql: string): SqlColumn => ({ sql, type: 'numeric' });

function plainColumns({ runs: r }: RunAliases): SqlSource['columns'] {
  return {
    id: uuid(`${r}.run_id`),
    trace_id: uuid(`${r}.trace_id`),
    parent_run_id: uuid(`${r}.parent_run_id`),
    session_id: uuid(`${r}.session_id`),
    reference_example: uuid(`${r}.reference_example_id`),
    name: text(`coalesce(${r}.name, '')`),
    run_type: text(`coalesce(${r}.run_type, 'chain')`),
    model: text(`(${calledModelSql(r)})`),
    // An exception thrown to ask or to pass on control is no error.
    error: text(`(case when ${r}.has_error then ${r}.error_preview end)`),
    thread_id: text(`${r}.thread_id`),
    dotted_order: text(`${r}.dotted_order`),
    trace_tier: text(`${r}.tier`),
    // Conditions are written out, so that Postgres recognises the partial indexes on them.
    is_root: {
      sql: `${r}.is_root`,
      type: 'boolean',
      is: { true: `${r}.is_root`, false: `not ${r}.is_root` },
    },
    status: {
      sql: `(case when ${r}.has_error then 'error' when ${r}.end_time is null then 'pending' else 'success' end)`,
      type: 'text',
      is: { error: `${r}.has_error` },
    },
    start_time: instant(`${r}.start_time`),
    end_time: instant(`${r}.end_time`),
    latency: number(`extract(epoch from ${r}.end_time - least(${r}.start_time, ${r}.end_time))`),
  };
}

/** Columns that depend on other rows, as answers show them. */
function derivedColumns({ runs: r }: RunAliases): SqlSource['columns'] {
  const ofTrace = (column: string) =>
    `(select t.${column} from traces.traces t where t.trace_id = ${r}.trace_id and t.workspace_id = ${r}.workspace_id)`;
  /** A root counts for its trace, and only a model call uses tokens itself; any run may report its whole cost. */
  const used = (column: string, none: string, own = isModelCall(r)) =>
    number(
      `(case when ${r}.is_root then coalesce(${ofTrace(column)}, ${none}) when ${own}
         then coalesce(${r}.${column}, ${none}) else ${none} end)`,
    );
  return {
    first_token_time: instant(
      `(case when ${r}.is_root then coalesce(${ofTrace('first_token_time')}, ${r}.first_token_time)
         else ${r}.first_token_time end)`,
    ),
    execution_order: number(
      `(select count(*) from traces.runs earlier where earlier.trace_id = ${r}.trace_id
         and earlier.workspace_id = ${r}.workspace_id and earlier.tier = ${r}.tier and earlier.week = ${r}.week
         and earlier.dotted_order collate "C" <= ${r}.dotted_order collate "C")`,
    ),
    total_tokens: used('total_tokens', '0'),
    prompt_tokens: used('prompt_tokens', '0'),
    completion_tokens: used('completion_tokens', '0'),
    total_cost: used('total_cost', 'null', 'true'),
    prompt_cost: used('prompt_cost', 'null'),
    completion_cost: used('completion_cost', 'null'),
  };
}

function pairsOf({ runs: r, search: x }: RunAliases): SqlSource['pairs'] {
  const entries = (family: 'metadata' | 'input' | 'output', json: string): SqlPairs => ({
    from: `jsonb_each(${json}) e, jsonb_array_elements_text(
      case jsonb_typeof(e.value) when 'array' then e.value else jsonb_build_array(e.value) end) v(value)`,
    sides: { key: text('e.key'), value: text('v.value') },
    terms: { sql: `${x}.terms`, family },
  });
  return {
    metadata: entries('metadata', `${x}.metadata`),
    input: entries('input', `${x}.io->'inputs'`),
    output: entries('output', `${x}.io->'outputs'`),
    feedback: {
      from: `(select * from traces.feedback g where g.run_id = ${r}.run_id and g.workspace_id = ${r}.workspace_id) f`,
      sides: {
        key: text('f.key'),
        score: { sql: 'f.score', type: 'float8' },
        value: text(`f.value #>> '{}'`),
        source: text('f.source_type'),
        comment: text('f.comment'),
      },
    },
  };
}
