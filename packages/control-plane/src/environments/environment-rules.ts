import { isReservedVariable, type Secret, SECRET_MASK } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';

/** How the next version of an environment comes about: some values stay as they are sealed, the others are new. */
export interface EnvironmentChange {
  /** In the order in which they were sent. */
  readonly names: readonly string[];
  readonly keep: readonly string[];
  readonly set: readonly Secret[];
}

/**
 * How the secrets of a request change the present ones; undefined when they change nothing (`[]`, null, absent).
 * Throws `invalid` for a reserved name, a name sent twice, and the mask where there is nothing to keep.
 */
export function planEnvironment(
  present: readonly string[],
  sent: readonly Secret[] | null | undefined,
): EnvironmentChange | undefined {
  if (sent === null || sent === undefined || sent.length === 0) return undefined;
  const names = sent.map((secret) => secret.name);
  refuseReserved(names);
  refuse(
    names.filter((name, index) => names.indexOf(name) !== index),
    'stand more than once in secrets',
  );
  const kept = sent.filter((secret) => secret.value === SECRET_MASK).map((secret) => secret.name);
  refuse(
    kept.filter((name) => !present.includes(name)),
    'are masked in secrets, which means "keep", but the deployment has no such secrets',
  );
  return { names, keep: kept, set: sent.filter((secret) => secret.value !== SECRET_MASK) };
}

/** Throws `invalid` for names that only the platform sets. */
export function refuseReserved(names: readonly string[]): void {
  refuse(names.filter(isReservedVariable), 'are set by Roadstead and cannot be secrets');
}

function refuse(names: readonly string[], why: string): void {
  if (names.length > 0)
    throw new Problem('invalid', `These names ${why}: ${[...new Set(names)].join(', ')}.`);
}

/** What a deployment's own variables are made of. */
export interface PlatformVariables {
  /** `{public_url}/api`. */
  readonly endpoint: string;
  readonly api_key: string;
  readonly project: string;
  readonly workspace_id: string;
}

/** The whole environment of a revision: the caller's secrets, and the platform's variables, which win. */
export function composeEnvironment(
  secrets: Readonly<Record<string, string>>,
  platform: PlatformVariables,
): { readonly name: string; readonly value: string }[] {
  const variables = {
    // Traces stay on one machine or network: compressing costs both sides more than sending. A secret can turn it on.
    LANGSMITH_DISABLE_RUN_COMPRESSION: 'true',
    ...secrets,
    LANGSMITH_TRACING: 'true',
    LANGSMITH_ENDPOINT: platform.endpoint,
    LANGSMITH_API_KEY: platform.api_key,
    LANGSMITH_PROJECT: platform.project,
    LANGSMITH_WORKSPACE_ID: platform.workspace_id,
  };
  return Object.entries(variables).map(([name, value]) => ({ name, value }));
}
