import type { Database, Queryable } from '@roadstead/kit';
import type { FindSubject, Subject, SubjectId } from './oauth-ports.ts';
import { findKeySubject } from './subject-store.ts';

export const subjectFinder =
  (db: Database): FindSubject =>
  (id) =>
    findSubject(db, id);

/** Whoever consented, as long as they may. */
export async function findSubject(db: Queryable, id: SubjectId): Promise<Subject | undefined> {
  const [kind, own = ''] = id.split(':');
  const workspaces = kind === 'key' ? await findKeySubject(db, own) : [];
  return workspaces.length === 0 ? undefined : { id, workspaces };
}
