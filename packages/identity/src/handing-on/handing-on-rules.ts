import { covers, type Principal, type Scope } from '@roadstead/contracts';
import type { IdentityContract } from '@roadstead/contracts/identity';
import { Problem } from '@roadstead/kit';

/** Derives what a credential passes on to one that it creates: never more than it has. Pure. */

/** How far a credential reaches. */
export interface Reach {
  readonly workspace_id: string;
  readonly scopes: readonly Scope[];
  /** The only subject on whose behalf it acts; null for nobody in particular. */
  readonly subject: string | null;
  /** The deployment that owns the key, or the key that this one comes from. */
  readonly deployment_id: string | null;
  readonly listener_id: string | null;
  readonly expires_at: string | null;
}

/**
 * `same` as the maker’s; as `asked`, but within the maker’s, which counts where nothing is asked; `none`, where the
 * maker must have no such bound either; or `new`, independent of the maker.
 */
type Inheritance = 'same' | 'asked' | 'none' | 'new';

const unbound = { subject: 'none', deployment_id: 'none', listener_id: 'none', expires_at: 'none' } as const;
const bounds = { subject: 'same', deployment_id: 'same', listener_id: 'same', expires_at: 'same' } as const;

export const ways = {
  key: { ...bounds, workspace_id: 'same', scopes: 'asked', subject: 'asked', expires_at: 'asked' },
  user: { ...bounds, workspace_id: 'same', scopes: 'asked', subject: 'asked' },
  /** The first key of a workspace. */
  workspace: { ...bounds, workspace_id: 'new', scopes: 'same' },
  /** What an application is authorized for. It is read again whenever one of its tokens is verified. */
  grant: { ...bounds, workspace_id: 'same', scopes: 'asked' },
  /** A browser in which the maker is signed in. */
  session: { ...bounds, workspace_id: 'same', scopes: 'same' },
  /** A listener acts for the whole workspace, and never expires. */
  listener: { ...unbound, workspace_id: 'same', scopes: 'new', listener_id: 'new' },
} as const satisfies Record<string, Readonly<Record<keyof Reach, Inheritance>>>;

export type Way = keyof typeof ways;

/**
 * The kind of credential that each changing request creates. `nothing` creates no access; `own` is the key of a
 * deployment or an assertion of a service, with rights of its own that only our services ask for.
 */
export const begetting = {
  createApiKey: 'key',
  createUser: 'user',
  patchUser: 'user',
  createWorkspace: 'workspace',
  createWorkspaceFor: 'workspace',
  submitConsentPage: 'grant',
  issueToken: 'grant',
  startDeviceAuthorization: 'grant',
  submitDevicePage: 'grant',
  createSignInLink: 'session',
  submitSignInLink: 'session',
  createListenerKey: 'listener',
  createDeploymentKey: 'own',
  createServiceAssertion: 'own',
  verifyCredential: 'nothing',
  patchApiKey: 'nothing',
  patchWorkspace: 'nothing',
  deleteApiKey: 'nothing',
  deleteListenerKeys: 'nothing',
  deleteUser: 'nothing',
  deleteGrant: 'nothing',
  deleteWorkspace: 'nothing',
  registerClient: 'nothing',
  revokeToken: 'nothing',
  signOut: 'nothing',
  submitApplicationsPage: 'nothing',
} as const satisfies Partial<Record<keyof IdentityContract, Way | 'own' | 'nothing'>>;

/**
 * The reach of a credential that `maker` creates this way.
 * @throws Problem `forbidden` where more is asked than the maker has
 */
export function handOn(
  way: Way,
  maker: Reach,
  asked: { readonly [K in keyof Reach]?: Reach[K] | null | undefined },
): Reach {
  const row: Readonly<Record<keyof Reach, Inheritance>> = ways[way];
  const of = <K extends keyof Reach>(bound: K): Reach[K] =>
    row[bound] === 'same' || row[bound] === 'none' ? maker[bound] : (asked[bound] ?? maker[bound]);
  const reach = {
    workspace_id: of('workspace_id'),
    scopes: of('scopes'),
    subject: of('subject'),
    deployment_id: of('deployment_id'),
    listener_id: of('listener_id'),
    expires_at: of('expires_at'),
  };
  const held = (Object.keys(row) as (keyof Reach)[]).find(
    (bound) => row[bound] === 'none' && maker[bound] !== null,
  );
  if (held !== undefined)
    throw new Problem('forbidden', `Only an unbound key that does not end makes a ${way}’s.`);
  refuseBeyond(maker, { ...reach, ...(row.scopes === 'new' ? { scopes: [] } : {}) });
  return reach;
}

/**
 * The bounds that limit what a caller sees: a bound caller sees only what is bound in the same way, and everything
 * else is as if it did not exist.
 */
export type Sight = Pick<Reach, 'subject' | 'deployment_id' | 'listener_id'>;

export const sightOf = (of: Pick<Principal, 'subject' | 'deployment_id' | 'listener_id'>): Sight => ({
  subject: of.subject ?? null,
  deployment_id: of.deployment_id ?? null,
  listener_id: of.listener_id ?? null,
});

export const isInSight = (of: Sight, { subject, deployment_id, listener_id }: Sight): boolean =>
  (of.subject === null || of.subject === subject) &&
  (of.deployment_id === null || of.deployment_id === deployment_id) &&
  (of.listener_id === null || of.listener_id === listener_id);

/** Nobody grants what they lack themselves, nor changes somebody who has more. @throws Problem `forbidden` */
export function refuseBeyond(maker: Reach, wanted: Omit<Reach, 'workspace_id'>): void {
  const lacking = wanted.scopes.filter((scope) => !covers(maker.scopes, scope));
  if (lacking.length > 0)
    throw new Problem('forbidden', `A credential cannot grant a scope that it lacks: ${lacking.join(', ')}.`);
  const reason = beyond(maker, wanted);
  if (reason !== undefined) throw new Problem('forbidden', reason);
}

function beyond(maker: Reach, wanted: Omit<Reach, 'workspace_id' | 'scopes'>): string | undefined {
  if (maker.subject !== null && wanted.subject !== maker.subject)
    return 'A key that is bound to a subject makes and changes only what is bound to this subject.';
  for (const bound of ['deployment_id', 'listener_id'] as const)
    if (maker[bound] !== null && wanted[bound] !== maker[bound])
      return 'A key of a deployment or a listener makes and changes only what is bound to it.';
  if (maker.expires_at !== null && !endsBy(wanted.expires_at, maker.expires_at))
    return `A key that ends makes and changes only what ends with it, at ${maker.expires_at} at the latest.`;
  return undefined;
}

const endsBy = (end: string | null, latest: string) => end !== null && Date.parse(end) <= Date.parse(latest);
