import { isUuid } from '@roadstead/kit';
import { type UnderLock, nowLocked, type Transaction } from '@roadstead/postgres';

/**
 * Keeps these credentials, and the subjects who authorized them, from being ended or changed until the transaction
 * ends. Every caller locks grants before users before keys, and each kind by id, so that of two who lock the same one
 * waits.
 * @param names such as `key:{id}`, `user:{id}` and `oauth:{id}`, which is a grant; other names match no rows.
 */
export async function lockCredentials(
  tx: Transaction,
  names: readonly string[],
): Promise<UnderLock<'credentials'>> {
  const grants = await tx.query<{ subject: string }>(
    'select subject from oauth_grants where id = any($1::uuid[]) order by id for update',
    [idsOf('oauth', names)],
  );
  const all = [...names, ...grants.map(({ subject }) => subject)];
  for (const [kind, table] of [
    ['user', 'users'],
    ['key', 'api_keys'],
  ] as const) {
    const ids = idsOf(kind, all);
    if (ids.length > 0)
      await tx.query(`select from ${table} where id = any($1::uuid[]) order by id for update`, [ids]);
  }
  return nowLocked(tx);
}

const idsOf = (kind: string, names: readonly string[]) =>
  names.flatMap((name) => {
    const [of, id = ''] = name.split(':');
    return of === kind && isUuid(id) ? [id] : [];
  });
