import { z } from 'zod';
import type { Need } from './endpoint.ts';

/** What a key may do (gaps.md "keys and scopes"). */
export const Scope = z.enum(['admin', 'reader', 'traces:write', 'prompts:read', 'agents:invoke', 'listener']);
export type Scope = z.output<typeof Scope>;

/** Which needs a scope satisfies. `admin` is every scope but `listener`. */
export const grants: Readonly<Record<Scope, readonly Need[]>> = {
  admin: ['read', 'write', 'traces:write', 'prompts:read', 'agents:invoke', 'keys'],
  reader: ['read', 'prompts:read'],
  'traces:write': ['traces:write'],
  'prompts:read': ['prompts:read'],
  'agents:invoke': ['agents:invoke'],
  listener: ['listener'],
};

export function allows(scopes: readonly Scope[], need: Need): boolean {
  return scopes.some((scope) => grants[scope].includes(need));
}

/** Stands for every workspace; only the platform's own listener has it. */
export const ALL_WORKSPACES = '*';

/** Who calls, once verified. */
export const Principal = z.object({
  workspace_id: z.string(),
  /** `key:{id}` for an API key, `service:{name}` for one of our processes. */
  actor: z.string(),
  scopes: z.array(Scope),
});
export type Principal = z.output<typeof Principal>;

/** The services that an assertion may be meant for. */
export const Audience = z.enum(['identity', 'control-plane', 'observability', 'agent-server', 'platform']);
export type Audience = z.output<typeof Audience>;

/** Carries a signed assertion inward (Ed25519, 60 s). The edge drops it from outside requests. */
export const ASSERTION_HEADER = 'x-roadstead-assertion';

/** Where real clients put a credential and a workspace, first match wins (`Authorization: Bearer` after these). */
export const CREDENTIAL_HEADERS = ['x-api-key', 'service-api-key', 'langsmith-api-key'] as const;
export const WORKSPACE_HEADERS = ['x-tenant-id', 'service-workspace-id', 'langsmith-workspace-id'] as const;
