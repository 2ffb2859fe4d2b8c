/** The accesses and scopes, and what a scope gives; without a library, since the console asks the same of its buttons. */

/**
 * The access that an endpoint requires, `resource:right`. `read` sees, `write` creates and changes, `admin` also
 * removes, shares by link and configures, and includes the resource's other rights. `write` does not include `read`: an
 * agent that traces must not see what others traced. `connections:use` gets users' tokens at providers in clear.
 */
export const ACCESSES = [
  'deployments:read',
  'deployments:write',
  'deployments:admin',
  'connections:read',
  'connections:use',
  'connections:write',
  'connections:admin',
  'traces:read',
  'traces:write',
  'traces:admin',
  'datasets:read',
  'datasets:write',
  'datasets:admin',
  'feedback:read',
  'feedback:write',
  'feedback:admin',
  'prompts:read',
  'prompts:write',
  'prompts:admin',
  'usage:read',
  'workspaces:read',
  'workspaces:admin',
  'keys:admin',
  'agents:invoke',
  'metrics:read',
  'listener',
] as const;
export type Access = (typeof ACCESSES)[number];

/** A scope of a key: any access, or a name for a set. `admin` is all but `listener`, `reader` is every `read`. */
export const SCOPES = ['admin', 'reader', ...ACCESSES] as const;
export type Scope = (typeof SCOPES)[number];

/** Whether a scope gives an access. */
export function includes(scope: Scope, access: Access): boolean {
  if (scope === access) return true;
  const [resource, right] = access.split(':');
  if (scope === 'admin') return access !== 'listener';
  if (scope === 'reader') return right === 'read';
  return right !== undefined && scope === `${resource}:admin`;
}

/** Whether one of the scopes gives one of the accepted accesses. */
export function allows(scopes: readonly Scope[], accepted: readonly Access[]): boolean {
  return accepted.some((access) => scopes.some((scope) => includes(scope, access)));
}
