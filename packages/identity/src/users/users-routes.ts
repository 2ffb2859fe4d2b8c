import type { users } from '@roadstead/contracts/identity';
import type { Handlers } from '@roadstead/http';
import { pageOf } from '@roadstead/kit';
import type { Database } from '@roadstead/postgres';
import { sightOf } from '../handing-on/handing-on-rules.ts';
import { keptName } from './user-rules.ts';
import { listUsers } from '../records/user-store.ts';
import { changeUser, createUser, endUser } from './user-work.ts';

export interface UserRoutesOptions {
  readonly db: Database;
  /** An edge of the same process forgets at once what users authorized. */
  readonly forgetTokens: () => void;
}

export function userHandlers({ db, forgetTokens }: UserRoutesOptions): Handlers<typeof users> {
  return {
    listUsers: async ({ workspace_id, principal, query: { name, ...page } }) =>
      pageOf(page, async (span) =>
        listUsers(db, {
          ...span,
          workspace_id,
          name: name === undefined ? undefined : keptName(name),
          sight: sightOf(principal),
        }),
      ),
    createUser: async ({ principal: caller, body }) => createUser(db, { caller, ...body }),
    patchUser: async ({ principal: caller, params, body }) => {
      const user = await changeUser(db, { caller, id: params.user_id, ...body });
      forgetTokens();
      return user;
    },
    deleteUser: async ({ principal: caller, params }) => {
      await endUser(db, { caller, id: params.user_id });
      forgetTokens();
    },
  };
}
