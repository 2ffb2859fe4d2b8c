import { Problem } from '@roadstead/kit';
import type { Queryable } from '@roadstead/postgres';
import type { RowKeys } from '../values/keys.ts';

/** Experiments, which are projects with a dataset. */

export interface Experiment {
  readonly id: string;
  readonly name: string;
  readonly reference_dataset_id: string;
  /** The version of the dataset that it ran on, as its client reports it. */
  readonly dataset_version: string | null;
}

/**
 * Experiments in the order of the ids.
 * @throws Problem `not_found` where one is no project of the workspace, `invalid` where one is no experiment of the
 * dataset.
 */
export async function readExperiments(
  db: Queryable,
  { workspace_id, ids, dataset_id }: RowKeys & { readonly dataset_id?: string | undefined },
): Promise<Experiment[]> {
  const rows = await db.query<
    Omit<Experiment, 'reference_dataset_id'> & { reference_dataset_id: string | null }
  >(
    `select s.id, s.name, s.reference_dataset_id, s.extra->'metadata'->>'dataset_version' as dataset_version
     from unnest($2::uuid[]) with ordinality as x(id, place)
     join traces.sessions s on s.workspace_id = $1 and s.id = x.id and s.deleted_at is null order by x.place`,
    [workspace_id, ids],
  );
  if (rows.length < ids.length) throw new Problem('not_found', 'There is no such experiment.');
  return rows.map((row) => {
    const { reference_dataset_id } = row;
    if (reference_dataset_id === null)
      throw new Problem('invalid', `The project ${row.id} is no experiment: it refers to no dataset.`);
    if (dataset_id !== undefined && reference_dataset_id !== dataset_id.toLowerCase())
      throw new Problem('invalid', `The experiment ${row.id} is of another dataset.`);
    return { ...row, reference_dataset_id };
  });
}
