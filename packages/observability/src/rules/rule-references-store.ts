import { Problem } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import type { RuleFields, RuleRow } from './rule-row.ts';
import type { InWorkspace, RowKeys } from '../values/keys.ts';

/** The projects, datasets and queues that rules refer to. A rule outlives them, and fails. */

const tables = {
  session_id: 'sessions',
  dataset_id: 'datasets',
  add_to_dataset_id: 'datasets',
  add_to_annotation_queue_id: 'annotation_queues',
} as const;
type Reference = keyof typeof tables;
const references = Object.keys(tables) as Reference[];
const nouns = { sessions: 'project', datasets: 'dataset', annotation_queues: 'annotation queue' } as const;

const live = {
  sessions: 'and deleted_at is null',
  datasets: 'and deleted_at is null',
  annotation_queues: '',
};

/** The names of everything that these rules of one workspace refer to, by id. */
export async function namesOfRules(
  db: Queryable,
  rows: readonly Pick<RuleRow, Reference | 'workspace_id'>[],
): Promise<Map<string, string>> {
  const [first] = rows;
  if (first === undefined) return new Map();
  const ids = rows.flatMap((row) => references.flatMap((name) => row[name] ?? []));
  const found = await listNamed(db, { workspace_id: first.workspace_id, ids });
  return new Map(found.map((row) => [row.id, row.name]));
}

/**
 * @throws Problem `not_found` for a new reference to something that does not exist, or belongs to another workspace.
 */
export async function requireReferences(
  db: Queryable,
  wanted: InWorkspace & { readonly fields: RuleFields; readonly present?: RuleFields },
): Promise<void> {
  const { workspace_id, fields, present } = wanted;
  const fresh = references.filter((name) => fields[name] !== null && fields[name] !== present?.[name]);
  const found = await listNamed(db, { workspace_id, ids: fresh.flatMap((name) => fields[name] ?? []) });
  const known = new Set(found.map((row) => `${row.kind}/${row.id}`));
  for (const name of fresh)
    if (!known.has(`${tables[name]}/${(fields[name] ?? '').toLowerCase()}`))
      throw new Problem('not_found', `There is no such ${nouns[tables[name]]} as "${name}" names.`);
}

interface ReferenceName {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
}

async function listNamed(db: Queryable, { workspace_id, ids }: RowKeys): Promise<ReferenceName[]> {
  if (ids.length === 0) return [];
  const selects = Object.entries(live).map(
    ([table, alive]) =>
      `select '${table}' as kind, id, name from traces.${table} where workspace_id = $1 and id = any ($2::uuid[]) ${alive}`,
  );
  return db.query<ReferenceName>(selects.join(' union all '), [workspace_id, ids]);
}
