import { Problem } from '@roadstead/kit';
import { isUniqueViolation, type Queryable } from '@roadstead/postgres';
import { instantText } from '../records/run-store.ts';
import type { RowKey } from '../values/keys.ts';
import type { OffsetPage } from '../values/pages.ts';

/** Comparisons of experiments. One exists as long as its dataset does. */

export interface ComparisonRow {
  readonly workspace_id: string;
  readonly id: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly reference_dataset_id: string;
  readonly extra: Readonly<Record<string, unknown>> | null;
  readonly created_at: string;
  readonly modified_at: string;
  /** The experiments that still exist, in the order in which they were named. */
  readonly experiments_info: readonly { readonly id: string; readonly name: string }[];
}

const columns = `c.workspace_id, c.id, c.name, c.description, c.reference_dataset_id, c.extra,
  ${instantText('c.created_at')} as created_at, ${instantText('c.modified_at')} as modified_at,
  (select coalesce(json_agg(json_build_object('id', s.id, 'name', s.name) order by x.place), '[]')
   from unnest(c.experiment_ids) with ordinality as x(id, place)
   join traces.sessions s on s.workspace_id = c.workspace_id and s.id = x.id and s.deleted_at is null) as experiments_info`;

/** @throws Problem `conflict` when the id is taken. */
export async function insertComparison(
  db: Queryable,
  row: Omit<ComparisonRow, 'experiments_info'> & { readonly experiment_ids: readonly string[] },
): Promise<ComparisonRow> {
  try {
    return await db.one<ComparisonRow>(
      `insert into traces.comparisons as c
         (workspace_id, id, name, description, reference_dataset_id, extra, created_at, modified_at, experiment_ids)
       values ($1, $2, $3, $4, $5, $6::text::jsonb, $7, $8, $9::uuid[]) returning ${columns}`,
      [
        row.workspace_id,
        row.id,
        row.name,
        row.description,
        row.reference_dataset_id,
        row.extra === null ? null : JSON.stringify(row.extra),
        row.created_at,
        row.modified_at,
        row.experiment_ids,
      ],
    );
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new Problem('conflict', 'A comparison with this id already exists.', { cause: error });
  }
}

export interface ComparisonFilter {
  readonly workspace_id: string;
  readonly dataset_id: string;
  readonly ids?: readonly string[] | undefined;
  readonly name?: string | undefined;
  readonly name_contains?: string | undefined;
}

export async function listComparisons(
  db: Queryable,
  filter: ComparisonFilter,
  page: OffsetPage & { readonly sort_by: 'name' | 'created_at'; readonly sort_by_desc: boolean },
): Promise<ComparisonRow[]> {
  const direction = page.sort_by_desc ? 'desc' : 'asc';
  const sorted = page.sort_by === 'name' ? 'c.name collate "C"' : 'c.created_at';
  return db.query<ComparisonRow>(
    `select ${columns} from traces.comparisons c
     where c.workspace_id = $1 and c.reference_dataset_id = $2 and ($3::uuid[] is null or c.id = any ($3::uuid[]))
       and ($4::text is null or c.name = $4) and ($5::text is null or position(lower($5) in lower(c.name)) > 0)
     order by ${sorted} ${direction} nulls last, c.id ${direction} limit ${page.limit} offset ${page.offset}`,
    [
      filter.workspace_id,
      filter.dataset_id,
      filter.ids ?? null,
      filter.name ?? null,
      filter.name_contains ?? null,
    ],
  );
}

/** @throws Problem `not_found`, also where it belongs to another workspace. */
export async function deleteComparison(db: Queryable, { workspace_id, id }: RowKey): Promise<void> {
  const deleted = await db.run('delete from traces.comparisons where workspace_id = $1 and id = $2', [
    workspace_id,
    id,
  ]);
  if (deleted === 0) throw new Problem('not_found', 'There is no such comparison of experiments.');
}
