import { z } from 'zod';
import { Role } from '@roadstead/contracts';
import { Problem, setting } from '@roadstead/kit';
import type { CompanyOptions } from './company-client.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** An identity is only as good as the way to who vouches for it. */
function isSafe(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname));
}

/** `group=role`, separated by commas. The last `=` counts, since groups may be named by what has one (`cn=ops`). */
function rolesIn(text: string): ReadonlyMap<string, Role> | undefined {
  const roles = new Map<string, Role>();
  for (const pair of text.split(/[,\n]/).map((one) => one.trim())) {
    if (pair === '') continue;
    const at = pair.lastIndexOf('=');
    const role = Role.safeParse(pair.slice(at + 1).trim());
    const group = pair.slice(0, Math.max(at, 0)).trim();
    if (!role.success || group === '') return undefined;
    roles.set(group, role.data);
  }
  return roles;
}

/** Also settings of `roadstead up`. */
export const companySettings = {
  company_issuer: setting({
    env: 'ROADSTEAD_COMPANY_ISSUER',
    doc: 'Address of the OpenID provider at which people of the company sign in, as it writes it itself. It must be https, or on this machine; one at a private address must be among `ROADSTEAD_ALLOWED_HOSTS` too.',
    schema: z.url().refine(isSafe, 'it must be https, or http on this machine').optional(),
  }),
  company_client_id: setting({
    env: 'ROADSTEAD_COMPANY_CLIENT_ID',
    doc: 'What Roadstead is called there; its redirect address is `{ROADSTEAD_URL}/oauth/company/callback`.',
    schema: z.string().min(1).optional(),
  }),
  company_client_secret: setting({
    env: 'ROADSTEAD_COMPANY_CLIENT_SECRET',
    doc: 'Its secret there, unless it is a public client.',
    schema: z.string().min(1).optional(),
    secret: true,
  }),
  company_name: setting({
    env: 'ROADSTEAD_COMPANY_NAME',
    doc: 'What the button says: “Sign in with …”.',
    schema: z.string().min(1).max(60).default('your company'),
  }),
  company_scopes: setting({
    env: 'ROADSTEAD_COMPANY_SCOPES',
    doc: 'Scopes of OpenID that are asked for; some providers tell groups only to who asks for a scope `groups`.',
    schema: z.string().default('openid profile email'),
  }),
  company_groups_claim: setting({
    env: 'ROADSTEAD_COMPANY_GROUPS_CLAIM',
    doc: 'Claim that lists somebody’s groups, in the ID token or at the userinfo address.',
    schema: z.string().min(1).default('groups'),
  }),
  company_roles: setting({
    env: 'ROADSTEAD_COMPANY_ROLES',
    doc: 'Roles by group, `engineering=member,operations=admin`; of several the highest counts.',
    schema: z
      .string()
      .default('')
      .transform((text, context) => {
        const roles = rolesIn(text);
        if (roles !== undefined) return roles;
        context.addIssue({
          code: 'custom',
          message: 'it must be group=role, separated by commas; a role is viewer, member or admin',
        });
        return z.NEVER;
      }),
  }),
  company_default_role: setting({
    env: 'ROADSTEAD_COMPANY_DEFAULT_ROLE',
    doc: 'Role of who is in none of these groups; without it they are refused.',
    schema: Role.optional(),
  }),
};

interface CompanyConfig {
  readonly company_issuer: string | undefined;
  readonly company_client_id: string | undefined;
  readonly company_client_secret: string | undefined;
  readonly company_name: string;
  readonly company_scopes: string;
  readonly company_groups_claim: string;
  readonly company_roles: ReadonlyMap<string, Role>;
  readonly company_default_role: Role | undefined;
}

/** @throws Problem where the issuer is set without the client */
export function companyOf(
  config: CompanyConfig,
  outbound: (request: Request) => Promise<Response>,
): CompanyOptions | undefined {
  const { company_issuer: issuer, company_client_id: client_id } = config;
  if (issuer === undefined) return undefined;
  if (client_id === undefined)
    throw new Problem(
      'invalid',
      'ROADSTEAD_COMPANY_ISSUER is set without ROADSTEAD_COMPANY_CLIENT_ID: set both.',
    );
  return {
    issuer,
    client_id,
    client_secret: config.company_client_secret,
    name: config.company_name,
    scopes: [...new Set(['openid', ...config.company_scopes.split(/\s+/).filter(Boolean)])].join(' '),
    groups_claim: config.company_groups_claim,
    roles: config.company_roles,
    default_role: config.company_default_role,
    outbound,
  };
}
