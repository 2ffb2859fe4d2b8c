import type { IdentityContract } from '@roadstead/contracts/identity';
import { type Database, type Handlers, pageOf } from '@roadstead/kit';
import { readMaker } from '../credentials.ts';
import { keptName } from './user-rules.ts';
import { listUsers } from './user-store.ts';
import { changeUser, createUser, endUser } from './user-work.ts';

export interface UserRoutesOptions {
  readonly db: Database;
  /** An edge of the same process forgets at once what users authorized. */
  readonly forgetTokens: () => void;
}

export function userHandlers({
  db,
  forgetTokens,
}: UserRoutesOptions): Pick<
  Handlers<IdentityContract>,
  'listUsers' | 'createUser' | 'patchUser' | 'deleteUser'
> {
  return {
    listUsers: async ({ workspace_id, query: { name, ...page } }) =>
      pageOf(page, async (span) =>
        listUsers(db, { ...span, workspace_id, name: name === undefined ? undefined : keptName(name) }),
      ),
    createUser: async ({ principal, body }) =>
      createUser(db, { ...body, maker: await readMaker(db, principal) }),
    patchUser: async ({ principal, params, body }) => {
      const maker = await readMaker(db, principal);
      const user = await changeUser(db, { ...body, id: params.user_id, maker });
      forgetTokens();
      return user;
    },
    deleteUser: async ({ principal, params }) => {
      await endUser(db, { id: params.user_id, maker: await readMaker(db, principal) });
      forgetTokens();
    },
  };
}
