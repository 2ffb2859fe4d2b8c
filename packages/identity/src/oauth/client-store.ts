import type { Queryable } from '@roadstead/postgres';

export async function insertClient(
  db: Queryable,
  { id, metadata }: { readonly id: string; readonly metadata: object },
): Promise<void> {
  await db.run(
    `insert into oauth_clients (id, metadata) values ($1, $2)
     on conflict (id) do update set metadata = excluded.metadata`,
    [id, JSON.stringify(metadata)],
  );
}

export async function findClient(db: Queryable, id: string): Promise<Record<string, unknown> | undefined> {
  const row = await db.maybe<{ metadata: Record<string, unknown> }>(
    'select metadata from oauth_clients where id = $1',
    [id],
  );
  return row?.metadata;
}

export async function deleteClient(db: Queryable, id: string): Promise<void> {
  await db.run('delete from oauth_clients where id = $1', [id]);
}

/** Removes registrations that led to no authorization within a day, and those without a living grant for 90 days. */
export async function deleteUnusedClients(db: Queryable): Promise<number> {
  return db.run(
    `delete from oauth_clients c
     where (used_at is null and created_at < now() - interval '1 day')
        or (used_at < now() - interval '90 days' and not exists (
          select from oauth_grants g where g.client_id = c.id and g.revoked_at is null and g.expires_at > now()))`,
  );
}
