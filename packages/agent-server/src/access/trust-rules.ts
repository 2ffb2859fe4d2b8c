import type { AuthSettings } from '@roadstead/contracts/langgraph-json';

/**
 * Decides whose identification counts at a deployment with an `auth` of its own: its handler's; that of the platform's
 * keys, where a member of the workspace sends a header, as Studio does, to announce such a key; or either's.
 */
export type Trust = 'handler' | 'keys' | 'either';

const SCHEME = { header: 'x-auth-scheme', value: 'langsmith' } as const;

export function trustOf(
  {
    disable_studio_auth,
    allow_langsmith_api_keys,
  }: Pick<AuthSettings, 'disable_studio_auth' | 'allow_langsmith_api_keys'>,
  headers: Headers,
): Trust {
  if (!disable_studio_auth && headers.get(SCHEME.header)?.toLowerCase() === SCHEME.value) return 'keys';
  return allow_langsmith_api_keys ? 'either' : 'handler';
}
