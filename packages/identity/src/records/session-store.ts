import { uuidv7 } from '@roadstead/kit';
import type { Queryable, Transaction } from '@roadstead/postgres';

/** The browsers in which somebody is signed in. */

/** How long somebody stays signed in who does nothing: a working day. */
const IDLE = `interval '12 hours'`;
/** How long somebody stays signed in at most. */
export const SESSION_S = 30 * 86_400;

const alive = `expires_at > now() and used_at > now() - ${IDLE}`;

export async function insertSession(db: Queryable, subjects: readonly string[]): Promise<string> {
  const id = uuidv7();
  await db.run(
    'insert into sessions (id, subjects, expires_at) values ($1, $2, now() + make_interval(secs => $3))',
    [id, subjects, SESSION_S],
  );
  return id;
}

/** Whether the session is alive. Its use is recorded at most once a minute. */
export async function useSession(db: Queryable, id: string): Promise<boolean> {
  const found = await db.maybe(
    `with used as (
       update sessions set used_at = now()
       where id = $1 and ${alive} and used_at < now() - interval '1 minute'
     )
     select from sessions where id = $1 and ${alive}`,
    [id],
  );
  return found !== undefined;
}

/** Whether the session is alive, and stays so until the transaction ends. */
export async function holdSession(tx: Transaction, id: string): Promise<boolean> {
  return (await tx.maybe(`select from sessions where id = $1 and ${alive} for share`, [id])) !== undefined;
}

export async function deleteSessions(
  tx: Transaction,
  of: { readonly session_ids: readonly string[]; readonly subjects: readonly string[] },
): Promise<void> {
  await tx.run('delete from sessions where id = any($1::uuid[]) or subjects && $2::text[]', [
    of.session_ids,
    of.subjects,
  ]);
}

export async function deleteEndedSessions(db: Queryable): Promise<number> {
  return db.run(`delete from sessions where not (${alive})`);
}
