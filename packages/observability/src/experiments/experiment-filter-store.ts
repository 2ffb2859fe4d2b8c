import { Problem } from '@roadstead/kit';
import { conditionOf } from '../filters/filter-conditions.ts';
import { parseFilter } from '../filters/filter-parser.ts';
import { conditionSql, type SqlValues } from '../filters/filter-sql-store.ts';
import { joinedSearch, runSource } from '../filters/run-filter-store.ts';
import { runFields } from '../filters/run-fields.ts';
import { isLive } from '../queries/run-sql-store.ts';

/** Conditions on the runs `r` of experiments. */

/** SQL, with its values added. */
export type RunsCondition = (values: SqlValues) => string;

export interface ExperimentScope {
  readonly workspace_id: string;
  readonly experiment_ids: readonly string[];
  /** Conditions by experiment, for experiments of which only some runs are meant. */
  readonly conditions: ReadonlyMap<string, RunsCondition>;
}

/** The limit on the filters of all experiments of one query. */
const MAX_LENGTH = 40_960;

const aliases = { runs: 'r', search: 'x' };

/** @throws Problem `invalid` for a text that is no filter, or a filter of an experiment that isn't asked about. */
export function experimentConditions(
  filters: Readonly<Record<string, readonly string[]>> | null | undefined,
  experiment_ids: readonly string[],
): Map<string, RunsCondition> {
  const source = runSource(aliases);
  const length = Object.values(filters ?? {})
    .flat()
    .reduce((sum, text) => sum + text.length, 0);
  if (length > MAX_LENGTH)
    throw new Problem('invalid', `\`filters\` are together longer than ${MAX_LENGTH} characters.`);
  return new Map(
    Object.entries(filters ?? {}).flatMap(([id, texts]) => {
      if (!experiment_ids.includes(id.toLowerCase()))
        throw new Problem('invalid', '`filters` names an experiment that is not asked about.');
      const conditions = texts.map((text) =>
        conditionOf(parseFilter(text, { parameter: 'filters', fields: runFields })),
      );
      const condition: RunsCondition = (values) =>
        conditions.map((one) => `(${conditionSql(one, { source, values })})`).join(' and ');
      return texts.length === 0 ? [] : [[id.toLowerCase(), condition] as const];
    }),
  );
}

/** The workspace is the first value. */
export function scopeSql(
  { experiment_ids, conditions }: Omit<ExperimentScope, 'workspace_id'>,
  values: SqlValues,
): { readonly join: string; readonly where: string; readonly filtered_ids: readonly string[] } {
  const filtered_ids = experiment_ids.filter((id) => conditions.has(id));
  const plain_ids = experiment_ids.filter((id) => !conditions.has(id));
  const plain = values.add(plain_ids, 'uuid[]');
  const either = filtered_ids.map(
    (id) => `(r.session_id = ${values.add(id, 'uuid')} and ${conditions.get(id)?.(values) ?? 'true'})`,
  );
  return {
    join: filtered_ids.length === 0 ? '' : joinedSearch(aliases),
    where: `r.workspace_id = $1 and ${isLive} and r.is_root and r.reference_example_id is not null
       and (${[`r.session_id = any (${plain})`, ...either].join(' or ')})`,
    filtered_ids,
  };
}
