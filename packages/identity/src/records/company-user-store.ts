import type { Scope } from '@roadstead/contracts';
import type { Transaction } from '@roadstead/postgres';

/** Users who sign in at the company: found by who they are there. */

interface CompanyIdentity {
  readonly issuer: string;
  readonly external_subject: string;
  readonly workspace_id: string;
}

/** The id of a user, who stays as they are until the transaction ends. */
export async function findCompanyUser(
  tx: Transaction,
  { issuer, external_subject, workspace_id }: CompanyIdentity,
): Promise<string | undefined> {
  const row = await tx.maybe<{ id: string }>(
    'select id from users where issuer = $1 and external_subject = $2 and workspace_id = $3 for update',
    [issuer, external_subject, workspace_id],
  );
  return row?.id;
}

/** Undefined where the name is taken. */
export async function insertCompanyUser(
  tx: Transaction,
  user: CompanyIdentity & { readonly id: string; readonly name: string; readonly scopes: readonly Scope[] },
): Promise<string | undefined> {
  const row = await tx.maybe<{ id: string }>(
    `insert into users (id, workspace_id, name, scopes, issuer, external_subject)
     values ($1, $2, $3, $4, $5, $6) on conflict (name, workspace_id) do nothing returning id`,
    [user.id, user.workspace_id, user.name, user.scopes, user.issuer, user.external_subject],
  );
  return row?.id;
}

/** Gives a user the scopes of now. Where they are to end, so do their sessions and what they authorized. */
export async function changeCompanyUser(
  tx: Transaction,
  { id, scopes, ends }: { readonly id: string; readonly scopes: readonly Scope[]; readonly ends: boolean },
): Promise<void> {
  await tx.run(
    'update users set scopes = $2, password_version = password_version + $3::boolean::int where id = $1',
    [id, scopes, ends],
  );
}
