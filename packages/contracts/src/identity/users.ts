import { z } from 'zod';
import { Scope } from '../endpoints/access.ts';
import { Role } from '../endpoints/roles.ts';
import { endpoint } from '../endpoints/endpoint.ts';
import { PageQuery, pageOf } from './page.ts';
import { Timestamp, Uuid } from '../values/query-values.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

/** People who sign in by name and password, to use the console and to authorize applications. */
const User = z
  .object({
    id: Uuid,
    workspace_id: WellFormedText,
    name: WellFormedText,
    scopes: z.array(Scope),
    /** The role whose scopes these are; null for others. */
    role: Role.nullable(),
    /** The issuer of the company sign-in, for those who have no password here. */
    signs_in_at: WellFormedText.nullable(),
    /** The only subject on whose behalf applications of this user act. */
    subject: WellFormedText.nullable(),
    /** The end of the user, the same as that of the key that made them. */
    expires_at: Timestamp.nullable(),
    created_at: Timestamp,
    password_changed_at: Timestamp,
    last_sign_in_at: Timestamp.nullable(),
  })
  .meta({ id: 'User' });
export type User = z.output<typeof User>;

/** A user's name; upper and lower case are the same. */
const UserName = WellFormedText.max(100).regex(
  /^[a-z0-9][a-z0-9._@+-]*$/i,
  'must be letters, digits and . _ @ + -, and begin with a letter or a digit',
);
const Password = WellFormedText.min(12).max(256);
const Scopes = z.array(Scope.exclude(['listener'])).min(1);
const params = z.object({ user_id: Uuid });

export const users = {
  listUsers: endpoint({
    method: 'GET',
    path: '/v2/users',
    summary: 'List the users of the workspace',
    access: 'keys:admin',
    query: PageQuery.extend({ name: UserName.optional() }),
    success: {
      status: 200,
      body: pageOf(User),
    },
    example: { query: { name: 'anna' } },
  }),
  createUser: endpoint({
    method: 'POST',
    path: '/v2/users',
    summary: 'Create a user of the workspace, who signs in by name and password',
    access: 'keys:admin',
    errors: [409],
    body: z.object({
      name: UserName,
      password: Password,
      /** Scopes or a role, not both. */
      scopes: Scopes.optional(),
      role: Role.optional(),
      /**
       * The only subject on whose behalf the user authorizes applications; by default that of the maker of the user.
       */
      subject: WellFormedText.min(1).max(200).nullish(),
    }),
    success: { status: 201, body: User },
    example: { body: { name: 'anna', password: 'eleven quiet herons', role: 'member' } },
  }),
  patchUser: endpoint({
    method: 'PATCH',
    path: '/v2/users/{user_id}',
    summary:
      'Change the password, the scopes or the role of a user; a new password ends what was signed in before',
    access: 'keys:admin',
    params,
    body: z.object({
      password: Password.optional(),
      /** Scopes or a role, not both. */
      scopes: Scopes.optional(),
      role: Role.optional(),
    }),
    success: { status: 200, body: User },
    example: { body: { password: 'eleven quiet herons' } },
  }),
  deleteUser: endpoint({
    method: 'DELETE',
    path: '/v2/users/{user_id}',
    summary: 'Remove a user, and with it what the user authorized; dead within 30 s everywhere',
    access: 'keys:admin',
    params,
    success: { status: 204 },
  }),
};
