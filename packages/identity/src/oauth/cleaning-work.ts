import type { Queryable } from '@roadstead/kit';
import { deleteUnusedClients } from './client-store.ts';
import { deleteEndedGrants } from '../records/grant-store.ts';
import { deleteExpiredRecords, forgetAnswers } from './record-store.ts';

/** Removes what is over, in the order in which it depends on each other. */
export async function cleanUp(db: Queryable): Promise<void> {
  await forgetAnswers(db);
  await deleteExpiredRecords(db);
  await deleteEndedGrants(db);
  await deleteUnusedClients(db);
}
