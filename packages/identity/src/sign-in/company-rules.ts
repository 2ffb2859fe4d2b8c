import { highestRole, type Role } from '@roadstead/contracts';
import type { CompanyClaims, CompanyOptions } from './company-client.ts';

/** What somebody of the company is here. Pure. */

type Mapping = Pick<CompanyOptions, 'groups_claim' | 'roles' | 'default_role'>;

/** The role by the groups that the provider names; undefined for who is to be refused. */
export function roleByGroups(
  claims: CompanyClaims,
  { groups_claim, roles, default_role }: Mapping,
): Role | undefined {
  const said = Object.hasOwn(claims, groups_claim) ? claims[groups_claim] : undefined;
  const groups = Array.isArray(said) ? said : [said];
  const own = groups.flatMap((group) => (typeof group === 'string' ? (roles.get(group) ?? []) : []));
  return highestRole(own) ?? default_role;
}

const MAX_NAME = 80;

/** A name that users here may have, by what the provider calls them; undefined where it tells nothing of use. */
export function nameOfClaims(claims: CompanyClaims): string | undefined {
  for (const claim of ['preferred_username', 'email', 'name'] as const) {
    const said = claims[claim];
    const name =
      typeof said === 'string'
        ? said
            .trim()
            .toLowerCase()
            .replaceAll(/[^a-z0-9._@+-]+/g, '-')
            .replace(/^[^a-z0-9]+/, '')
            .slice(0, MAX_NAME)
        : '';
    if (name !== '') return name;
  }
  return undefined;
}

/** Where a sign-in may return to: the pages that have the button. */
export const returnAddress = (asked: string | undefined): string =>
  asked !== undefined && /^\/oauth\/(?:interaction\/[\w-]{1,100}|applications)$/.test(asked)
    ? asked
    : '/oauth/applications';
