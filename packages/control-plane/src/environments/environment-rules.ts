import {
  isReservedVariable,
  type Secret,
  SECRET_MASK,
  type SecretReference,
} from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';

/** The difference to the next version of an environment: some values stay as they are sealed, the others are new. */
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
  asked: readonly Secret[] | null | undefined,
): EnvironmentChange | undefined {
  const sent = (asked ?? []).filter((secret) => !restatesDefault(secret));
  if (sent.length === 0) return undefined;
  const names = sent.map((secret) => secret.name);
  refuse('secrets', names.filter(isReservedVariable), RESERVED);
  refuse('secrets', doubles(names), 'are given more than once');
  const kept = sent.filter((secret) => secret.value === SECRET_MASK).map((secret) => secret.name);
  refuse(
    'secrets',
    kept.filter((name) => !present.includes(name)),
    'are masked, which means "keep", but the deployment has no such secrets',
  );
  return { names, keep: kept, set: sent.filter((secret) => secret.value !== SECRET_MASK) };
}

/**
 * Whether a secret restates a default: the `.env` files of the original's templates contain it, and its command lines
 * send them.
 */
const restatesDefault = ({ name, value }: Secret) =>
  name === 'LANGSMITH_TRACING' && value.toLowerCase() === 'true';

/**
 * Throws `invalid` for references that would set a variable of the platform or of a secret, or the same one twice.
 */
export function checkReferences(
  references: readonly Pick<SecretReference, 'name'>[],
  secret_names: readonly string[],
): void {
  const names = references.map((one) => one.name);
  refuse('secret_references', names.filter(isReservedVariable), RESERVED);
  refuse('secret_references', doubles(names), 'are given more than once');
  refuse(
    'secret_references',
    names.filter((name) => secret_names.includes(name)),
    'are secrets of the deployment, too',
  );
}

const RESERVED = 'are set by Roadstead only';

const doubles = (names: readonly string[]) => names.filter((name, index) => names.indexOf(name) !== index);

function refuse(field: 'secrets' | 'secret_references', names: readonly string[], why: string): void {
  if (names.length > 0)
    throw new Problem('invalid', `These names in ${field} ${why}: ${[...new Set(names)].join(', ')}.`);
}

/** The values behind a deployment's own variables. */
export interface PlatformVariables {
  /** `{public_url}/api`. */
  readonly endpoint: string;
  /** `{public_url}`: the address that `langchain-auth` calls. */
  readonly control_plane: string;
  readonly api_key: string;
  readonly project: string;
  readonly workspace_id: string;
}

/** The whole environment of a revision: the caller's secrets, and the platform's variables, which take precedence. */
export function composeEnvironment(
  secrets: Readonly<Record<string, string>>,
  platform: PlatformVariables,
): { readonly name: string; readonly value: string }[] {
  const variables = {
    // Traces stay on one machine or network: compressing costs both sides more than sending. A secret can turn it on.
    LANGSMITH_DISABLE_RUN_COMPRESSION: 'true',
    LANGSMITH_API_URL: platform.control_plane,
    ...secrets,
    LANGSMITH_TRACING: 'true',
    LANGSMITH_ENDPOINT: platform.endpoint,
    LANGSMITH_API_KEY: platform.api_key,
    LANGSMITH_PROJECT: platform.project,
    LANGSMITH_WORKSPACE_ID: platform.workspace_id,
  };
  return Object.entries(variables).map(([name, value]) => ({ name, value }));
}
