import type { IdentityContract } from '@roadstead/contracts/identity';
import { type Database, type Handlers, isUuid, Problem } from '@roadstead/kit';
import { listGrants } from './grant-store.ts';

export function grantHandlers({
  db,
  revokeGrant,
}: {
  readonly db: Database;
  readonly revokeGrant: (grant: { readonly id: string; readonly workspace_id: string }) => Promise<boolean>;
}): Pick<Handlers<IdentityContract>, 'listGrants' | 'deleteGrant'> {
  return {
    listGrants: async ({ workspace_id, query: { cursor, page_size, subject } }) => {
      const after = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString();
      if (after !== undefined && !isUuid(after))
        throw new Problem('invalid', 'The cursor is not one that this list gave.');
      const found = await listGrants(db, workspace_id, { after, subject, limit: page_size + 1 });
      const items = found.slice(0, page_size);
      const last = found.length > items.length ? items.at(-1) : undefined;
      return { items, next_cursor: last === undefined ? null : Buffer.from(last.id).toString('base64url') };
    },
    deleteGrant: async ({ workspace_id, params }) => {
      if (!(await revokeGrant({ id: params.grant_id, workspace_id })))
        throw new Problem('not_found', 'There is no such grant.');
    },
  };
}
