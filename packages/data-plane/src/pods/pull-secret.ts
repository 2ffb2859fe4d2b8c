import type { RegistryAuth } from '@roadstead/containers';
import type { KubernetesClient, OwnerReference } from '@roadstead/kubernetes';

/** The login at the platform's own registry for an image; undefined for one of another registry. */
export type LoginFor = (reference: string) => Promise<RegistryAuth | undefined>;

export const pullNameOf = (group: string): string => `${group}-pull`;

interface PullSecretOptions {
  /** The name of the group whose pods fetch the image. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly owner: OwnerReference;
  readonly login: RegistryAuth;
}

/**
 * Writes a login for nodes, which is good for an hour: it is written anew whenever there are to be more pods. Answers the name by which a
 * pod asks for it.
 * @see https://kubernetes.io/docs/concepts/configuration/secret/#docker-config-secrets
 */
export async function applyPullSecret(
  cluster: KubernetesClient,
  { name: group, labels, owner, login }: PullSecretOptions,
): Promise<string> {
  const { username, password, serveraddress } = login;
  const name = pullNameOf(group);
  const metadata = { name, labels, ownerReferences: [owner] };
  const auths = { [serveraddress]: { username, password } };
  const data = { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') };
  await cluster.apply('secrets', { metadata, type: 'kubernetes.io/dockerconfigjson', data }, { force: true });
  return name;
}
