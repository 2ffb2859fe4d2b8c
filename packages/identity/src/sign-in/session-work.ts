import type { Database } from '@roadstead/postgres';
import { revokeConsoleGrants } from '../records/grant-store.ts';
import { deleteSessions, insertSession } from '../records/session-store.ts';

/** What ends: these sessions, or every session in which one of these subjects is signed in. */
export interface EndOfSessions {
  readonly session_ids: readonly string[];
  readonly subjects: readonly string[];
}

/** Begins a session in a browser, which ends the one that the browser had. @returns its id. */
export async function beginSession(
  db: Database,
  { subjects, before }: { readonly subjects: readonly string[]; readonly before: string | null },
): Promise<string> {
  if (before !== null) await endSessions(db, { session_ids: [before], subjects: [] });
  return insertSession(db, subjects);
}

/** Ends sessions, with what the console may do in them. Grants that are being made wait, and end too. */
export async function endSessions(db: Database, ended: EndOfSessions): Promise<void> {
  await db.transaction(async (tx) => {
    await deleteSessions(tx, ended);
    await revokeConsoleGrants(tx, ended);
  });
}
