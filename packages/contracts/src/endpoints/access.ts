import { z } from 'zod';

/** Access rights: scopes, and the principal that holds them once a credential is verified. */

/**
 * The access that an endpoint requires, `resource:right`. `read` sees, `write` creates and changes, `admin` also
 * removes, shares by link and configures, and includes the resource's other rights. `write` does not include `read`: an
 * agent that traces must not see what others traced. `connections:use` gets users' tokens at providers in clear.
 */
export const Access = z.enum([
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
]);
export type Access = z.output<typeof Access>;

/** A scope of a key: any access, or a name for a set. `admin` is all but `listener`, `reader` is every `read`. */
export const Scope = z.enum(['admin', 'reader', ...Access.options]).meta({ id: 'Scope' });
export type Scope = z.output<typeof Scope>;

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

/** Whether the scopes give all that another scope gives. */
export function covers(scopes: readonly Scope[], wanted: Scope): boolean {
  return Access.options.filter((one) => includes(wanted, one)).every((one) => allows(scopes, [one]));
}

/** The name for every workspace; only the platform's own listener has it. */
export const ALL_WORKSPACES = '*';

/** A verified caller. */
export const Principal = z.object({
  workspace_id: z.string(),
  /**
   * `key:{id}` for an API key, `user:{id}` for a user at the console, `oauth:{grant}` for an access token of an
   * application, `service:{name}` for one of our processes.
   */
  actor: z.string(),
  scopes: z.array(Scope),
  /** The listener that the key is for: it acts for no other. */
  listener_id: z.string().optional(),
  /** The deployment that owns the key: it acts for the agents of no other. */
  deployment_id: z.string().optional(),
  /** The subject whom the credential is bound to, where it acts for one person only. */
  subject: z.string().optional(),
});
export type Principal = z.output<typeof Principal>;

/** The services that an assertion may be meant for. */
export const Audience = z.enum(['identity', 'control-plane', 'observability', 'agent-server', 'platform']);
export type Audience = z.output<typeof Audience>;

/** A signed assertion, passed inward (Ed25519, 60 s). The edge drops it from outside requests. */
export const ASSERTION_HEADER = 'x-roadstead-assertion';

/** The reason why a credential was refused, passed inward. The edge drops it from outside requests too. */
export const REFUSAL_HEADER = 'x-roadstead-refusal';

/** The address from which a request came, passed inward. The edge drops it from outside requests too. */
export const ADDRESS_HEADER = 'x-roadstead-address';
