import type { Queryable } from '@roadstead/postgres';
import { deleteUnusedClients } from './client-store.ts';
import { deleteEndedGrants } from '../records/grant-store.ts';
import { deleteExpiredRecords, forgetAnswers } from './record-store.ts';

/** Removes what has expired, in the order of its dependencies. */
export async function cleanUp(db: Queryable): Promise<void> {
  await forgetAnswers(db);
  await deleteExpiredRecords(db);
  await deleteEndedGrants(db);
  await deleteUnusedClients(db);
}
