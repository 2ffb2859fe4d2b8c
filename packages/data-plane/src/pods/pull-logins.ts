import { Problem } from '@roadstead/kit';
import { isClusterAway, type KubernetesClient, KubernetesRefusal } from '@roadstead/kubernetes';
import { EngineAway } from '../images/engine-away.ts';
import { type PullLogin, pullLoginsOf } from '../images/pull-login-rules.ts';
import type { PullLogins, ReadPullLogins } from '../images/registry-images.ts';

/** Where secrets are read. */
type Secrets = Pick<KubernetesClient, 'find' | 'namespace'>;

/** Reads the logins in the secrets that a deployment names, in its namespace. */
export const readPullLogins =
  (secretsOf: (deployment_id: string) => Secrets): ReadPullLogins =>
  async ({ deployment_id, pull_secrets }) => {
    if (pull_secrets.length === 0) return NONE;
    const secrets = secretsOf(deployment_id);
    const found = await Promise.all(pull_secrets.map((name) => readOne(secrets, name)));
    return {
      logins: found.flatMap((one) => (one instanceof Problem ? [] : one)),
      problem: found.find((one) => one instanceof Problem),
    };
  };

const NONE: PullLogins = { logins: [], problem: undefined };

async function readOne(secrets: Secrets, name: string): Promise<PullLogin[] | Problem> {
  const { namespace } = secrets;
  try {
    const secret = await secrets.find('secrets', { name });
    if (secret === undefined)
      return problemOf('secret_missing', {
        message: `The namespace ${namespace} has no Secret ${name}, which image_pull_secrets names.`,
        hint: 'Make it there: kubectl create secret docker-registry.',
      });
    return (
      pullLoginsOf(secret) ??
      problemOf('secret_unfit', {
        message: `The Secret ${name} in the namespace ${namespace}, which image_pull_secrets names, holds no logins at registries.`,
        hint: 'Its type is kubernetes.io/dockerconfigjson or kubernetes.io/dockercfg: kubectl create secret docker-registry makes one.',
      })
    );
  } catch (error) {
    if (isClusterAway(error)) throw new EngineAway(error);
    if (!(error instanceof KubernetesRefusal) || error.status !== 403) throw error;
    return problemOf('secret_forbidden', {
      message: `The data plane may not read the Secret ${name} in the namespace ${namespace}, which image_pull_secrets names.`,
      hint: 'Its Role there needs the verb get for secrets, as that of the chart has it.',
      cause: error,
    });
  }
}

const problemOf = (
  code: string,
  { message, ...options }: { readonly message: string; readonly hint: string; readonly cause?: unknown },
) => new Problem('invalid', message, { code, ...options });
