import { access, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Problem } from '@roadstead/kit';
import type { ClusterAccess } from './cluster-access.ts';
import { readKubeconfig } from './kubeconfig.ts';

/** Where the token, the authority and the namespace of a pod's service account are mounted. */
const ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

interface ClusterOptions {
  /** The path of a kubeconfig. */
  readonly kubeconfig?: string | undefined;
  /** The name of one of its contexts; unset, its current one. */
  readonly context?: string | undefined;
  /** Holds `KUBECONFIG`, and in a pod the address of the API server; programs that give credentials get all of it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Stands for the folder of a pod's service account in tests. */
  readonly account_folder?: string;
}

/**
 * How the cluster is reached: by the kubeconfig that is named, else by those of `KUBECONFIG`, else as the pod that this runs in,
 * else by `~/.kube/config`.
 * @throws Problem `unavailable` where there is none, `invalid` where a file can't be used, naming it and the field
 */
export async function findCluster(options: ClusterOptions): Promise<ClusterAccess> {
  const { kubeconfig, context, environment, account_folder = ACCOUNT_FOLDER } = options;
  const named = kubeconfig ?? environment['KUBECONFIG'];
  if (named !== undefined && named !== '') {
    const files = kubeconfig === undefined ? named.split(delimiter).filter((file) => file !== '') : [named];
    return await readKubeconfig(files, { context, environment });
  }
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = environment;
  if (host !== undefined)
    return await accountOf(account_folder, `${host.includes(':') ? `[${host}]` : host}:${port}`);
  const usual = join(environment['HOME'] ?? '/', '.kube', 'config');
  const isThere = await access(usual).then(
    () => true,
    () => false,
  );
  if (isThere) return await readKubeconfig([usual], { context, environment });
  throw new Problem('unavailable', `No cluster was found: this runs in no pod, and there is no ${usual}.`, {
    code: 'cluster_away',
    hint: 'Name the file that says how it is reached in KUBECONFIG.',
  });
}

/** The access of a pod: by its service account, whose token is read again as it rotates. */
async function accountOf(folder: string, address: string): Promise<ClusterAccess> {
  const read = async (name: string) => (await readFile(join(folder, name), 'utf8')).trim();
  const readCredential = async () => ({ token: await read('token'), ca: await read('ca.crt') });
  try {
    const [namespace] = await Promise.all([read('namespace'), readCredential()]);
    return { server: `https://${address}`, namespace, insecure: false, readCredential };
  } catch (cause) {
    throw new Problem('invalid', `The service account of this pod can't be read in ${folder}.`, {
      cause,
      hint: 'Leave automountServiceAccountToken of the pod on.',
    });
  }
}
