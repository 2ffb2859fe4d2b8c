import { createHash } from 'node:crypto';
import { ROLES } from '@roadstead/contracts';
import { Problem, uuidv7 } from '@roadstead/kit';
import type { Database, Transaction } from '@roadstead/postgres';
import { findSubject, type Subject } from '../records/subject-work.ts';
import { changeCompanyUser, findCompanyUser, insertCompanyUser } from '../records/company-user-store.ts';
import type { CompanyClaims, CompanyOptions } from './company-client.ts';
import { nameOfClaims, roleByGroups } from './company-rules.ts';

interface CompanySignIn {
  readonly company: CompanyOptions;
  readonly claims: CompanyClaims;
  readonly workspace_id: string;
}

/**
 * The user that somebody of the company is here, made at their first sign-in, with the role that their groups give
 * them now. Who has none any more loses what they had.
 * @throws Problem `forbidden` for who has no role
 */
export async function signInFromCompany(db: Database, given: CompanySignIn): Promise<Subject> {
  const { company, claims, workspace_id } = given;
  const role = roleByGroups(claims, company);
  const who = { issuer: company.issuer, external_subject: claims.sub, workspace_id };
  const id = await db.transaction(async (tx) => {
    const known = await findCompanyUser(tx, who);
    if (known !== undefined) {
      await changeCompanyUser(tx, {
        id: known,
        scopes: role === undefined ? [] : ROLES[role],
        ends: role === undefined,
      });
      return known;
    }
    return role === undefined ? undefined : make(tx, { ...given, who, scopes: ROLES[role] });
  });
  if (role === undefined || id === undefined)
    throw new Problem('forbidden', `${company.name} knows you, but none of your groups has a role here.`, {
      hint: 'Ask whoever runs this Roadstead for one.',
    });
  const subject = await findSubject(db, `user:${id}`);
  if (subject === undefined) throw new Problem('forbidden', 'This user has ended here.');
  return subject;
}

interface NewCompanyUser extends CompanySignIn {
  readonly who: { readonly issuer: string; readonly external_subject: string; readonly workspace_id: string };
  readonly scopes: readonly (typeof ROLES)[keyof typeof ROLES][number][];
}

/** Nobody takes the place of a user who has the same name here. */
async function make(tx: Transaction, { claims, company, who, scopes }: NewCompanyUser): Promise<string> {
  const digest = createHash('sha256').update(`${company.issuer} ${claims.sub}`).digest('hex').slice(0, 8);
  const name = nameOfClaims(claims) ?? 'user';
  for (const one of [name, `${name}-${digest}`]) {
    const id = await insertCompanyUser(tx, { ...who, id: uuidv7(), name: one, scopes });
    if (id !== undefined) return id;
  }
  throw new Problem('conflict', 'There is another user of this name here.');
}
