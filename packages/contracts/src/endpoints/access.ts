import { z } from 'zod';
import {
  type Access as AccessName,
  ACCESSES,
  allows,
  includes,
  SCOPES,
  type Scope as ScopeName,
} from './access-rules.ts';

/** Access rights: scopes, and the principal that holds them once a credential is verified. */

export const Access = z.enum(ACCESSES);
export type Access = AccessName;

export const Scope = z.enum(SCOPES).meta({ id: 'Scope' });
export type Scope = ScopeName;

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
