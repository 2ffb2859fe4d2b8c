import { isIP } from 'node:net';
import { parseAllowedHosts } from '@roadstead/outbound';
import type { Context } from '../context/context.ts';
import { createProviderClient, type ProviderClient } from './client/provider-client.ts';
import type { IsNamedHost } from './client/provider-rules.ts';

/** The auth service’s dependencies beside the control plane’s own context. */
export interface AuthContext extends Context {
  readonly oauth: ProviderClient;
  readonly isNamed: IsNamedHost;
  /** Attempts under way in this process, by name. */
  readonly attempts: Map<string, Promise<void>>;
}

export function authContextOf(context: Context): AuthContext {
  const allowed = parseAllowedHosts(context.allowed_hosts);
  return {
    ...context,
    oauth: createProviderClient(context.outbound),
    isNamed: (host, port) =>
      allowed.hasHost(host, port) || (isIP(host) !== 0 && allowed.hasAddress(host, port)),
    attempts: new Map(),
  };
}

/** The address to which a provider returns the browser; registered there character by character. */
export const redirectAddressOf = ({ public_url, auth_callback_path }: Context, provider_id: string) =>
  `${public_url}${auth_callback_path}/${encodeURIComponent(provider_id)}`;
