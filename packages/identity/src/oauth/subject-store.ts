import type { Queryable } from '@roadstead/kit';
import type { SubjectWorkspace } from './oauth-ports.ts';

/** The workspace that a living key reaches; a key to every workspace is one of our processes', and consents to nothing. */
export async function findKeySubject(db: Queryable, id: string): Promise<SubjectWorkspace[]> {
  return db.query<SubjectWorkspace>(
    `select w.id, w.name, k.scopes from api_keys k join workspaces w on w.id::text = k.workspace_id
     where k.id::text = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())`,
    [id],
  );
}
