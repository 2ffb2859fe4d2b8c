import { Problem } from '@roadstead/kit';
import { isUniqueViolation, type Queryable } from '@roadstead/postgres';
import type { InWorkspace, RowKey } from '../values/keys.ts';
import type { ModelProviderRow } from './model-provider-row.ts';

/** Providers of models; their keys are sealed. */

const columns = 'workspace_id, id, name, kind, base_url, sealed_key, models, created_at, updated_at';

export async function listProviders(
  db: Queryable,
  { workspace_id }: InWorkspace,
): Promise<ModelProviderRow[]> {
  return db.query(`select ${columns} from traces.model_providers where workspace_id = $1 order by name`, [
    workspace_id,
  ]);
}

/** @throws Problem `not_found` */
export async function readProvider(db: Queryable, { workspace_id, id }: RowKey): Promise<ModelProviderRow> {
  const row = await db.maybe<ModelProviderRow>(
    `select ${columns} from traces.model_providers where workspace_id = $1 and id = $2`,
    [workspace_id, id],
  );
  if (row === undefined) throw noSuchProvider();
  return row;
}

type ProviderFields = Omit<ModelProviderRow, 'created_at' | 'updated_at'>;

/** Inserts a provider, unless the workspace has so many already. @throws Problem */
export async function insertProvider(
  db: Queryable,
  row: ProviderFields,
  { most }: { readonly most: number },
): Promise<ModelProviderRow> {
  const { workspace_id, id, name, kind, base_url, sealed_key, models } = row;
  const inserted = await named(() =>
    db.maybe<ModelProviderRow>(
      `insert into traces.model_providers (workspace_id, id, name, kind, base_url, sealed_key, models)
       select $1, $2, $3, $4, $5, $6, $7::text[]
       where (select count(*) from traces.model_providers where workspace_id = $1) < $8 returning ${columns}`,
      [workspace_id, id, name, kind, base_url, sealed_key, models, most],
    ),
  );
  if (inserted === undefined)
    throw new Problem('limit', `A workspace has ${most} providers of models at most.`, {
      hint: 'Remove one that is not used.',
    });
  return inserted;
}

/** @throws Problem `not_found`, or `conflict` where the name is taken. */
export async function updateProvider(db: Queryable, row: ProviderFields): Promise<ModelProviderRow> {
  const { workspace_id, id, name, base_url, sealed_key, models } = row;
  const updated = await named(() =>
    db.maybe<ModelProviderRow>(
      `update traces.model_providers set name = $3, base_url = $4, sealed_key = $5, models = $6::text[], updated_at = now()
       where workspace_id = $1 and id = $2 returning ${columns}`,
      [workspace_id, id, name, base_url, sealed_key, models],
    ),
  );
  if (updated === undefined) throw noSuchProvider();
  return updated;
}

/** @throws Problem `not_found` */
export async function lockProvider(db: Queryable, { workspace_id, id }: RowKey): Promise<ModelProviderRow> {
  const row = await db.maybe<ModelProviderRow>(
    `select ${columns} from traces.model_providers where workspace_id = $1 and id = $2 for update`,
    [workspace_id, id],
  );
  if (row === undefined) throw noSuchProvider();
  return row;
}

/** @throws Problem `not_found` */
export async function deleteProvider(db: Queryable, { workspace_id, id }: RowKey): Promise<void> {
  const deleted = await db.run('delete from traces.model_providers where workspace_id = $1 and id = $2', [
    workspace_id,
    id,
  ]);
  if (deleted === 0) throw noSuchProvider();
}

const noSuchProvider = () => new Problem('not_found', 'The workspace has no such provider of models.');

async function named<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new Problem('conflict', 'A provider of models with this name already exists.', { cause: error });
  }
}
