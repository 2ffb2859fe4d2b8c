import type { Queryable } from '@roadstead/postgres';
import type { InWorkspace } from '../values/keys.ts';

/** Secrets of workspaces, sealed. */

export async function listSecretNames(db: Queryable, workspace_id: string): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    'select name from traces.workspace_secrets where workspace_id = $1 order by name',
    [workspace_id],
  );
  return rows.map(({ name }) => name);
}

/** Null removes one. */
export async function writeSecret(
  db: Queryable,
  { workspace_id, name, sealed }: InWorkspace & { readonly name: string; readonly sealed: string | null },
): Promise<void> {
  if (sealed === null)
    await db.run('delete from traces.workspace_secrets where workspace_id = $1 and name = $2', [
      workspace_id,
      name,
    ]);
  else
    await db.run(
      `insert into traces.workspace_secrets (workspace_id, name, sealed) values ($1, $2, $3)
       on conflict (workspace_id, name) do update set sealed = excluded.sealed, updated_at = now()`,
      [workspace_id, name, sealed],
    );
}
