import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Problem } from '@roadstead/kit';
import { parse } from 'yaml';
import { z } from 'zod';
import type { ClusterAccess, Credential } from './cluster-access.ts';
import { credentialOf, Exec } from './exec-credential.ts';

const text = z.string().min(1);
const Cluster = z.object({
  server: z.url({ protocol: /^https?$/ }),
  'certificate-authority': text.optional(),
  'certificate-authority-data': text.optional(),
  'tls-server-name': text.optional(),
  'insecure-skip-tls-verify': z.boolean().optional(),
  'proxy-url': text.optional(),
});
const User = z.object({
  token: text.optional(),
  tokenFile: text.optional(),
  'client-certificate': text.optional(),
  'client-certificate-data': text.optional(),
  'client-key': text.optional(),
  'client-key-data': text.optional(),
  exec: Exec.nullish(),
  username: text.optional(),
  'auth-provider': z.unknown().optional(),
  as: text.optional(),
});
const Context = z.object({ cluster: text, user: text.optional(), namespace: text.optional() });
const named = <S extends z.ZodType, K extends string>(key: K, shape: S) =>
  z
    .array(z.object({ name: z.string(), [key]: shape } as { name: z.ZodString } & Record<K, S>))
    .nullish()
    .transform((list) => list ?? []);
const Kubeconfig = z.object({
  'current-context': z.string().optional(),
  clusters: named('cluster', Cluster),
  users: named('user', User),
  contexts: named('context', Context),
});

/** What is not supported, in words: nothing of a kubeconfig is silently left out that changes who calls, or where to. */
const refused: readonly (readonly [string, string])[] = [
  ['proxy-url', 'Reach the API server without a proxy.'],
  ['username', 'Kubernetes has taken no passwords since 1.19: use a token or a client certificate.'],
  ['auth-provider', 'Kubernetes has replaced it by exec.'],
  ['as', 'Act by a user of its own in place of impersonation.'],
];

interface KubeconfigOptions {
  readonly context: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * How a cluster is reached by kubeconfigs. Of several, the first that names a thing decides, as with kubectl; paths are relative
 * to the file that has them.
 * @throws Problem `invalid`, naming file and field
 */
export async function readKubeconfig(
  files: readonly string[],
  { context: wanted, environment }: KubeconfigOptions,
): Promise<ClusterAccess> {
  const all = await Promise.all(files.map(readOne));
  const where = files.join(', ');
  const name = wanted ?? all.find((one) => one['current-context'])?.['current-context'];
  if (name === undefined) throw unfit(`${where} has no current-context.`);
  const find = <T extends { name: string }>(kind: string, { lists, of }: { lists: T[][]; of: string }) => {
    const at = lists.findIndex((list) => list.some(({ name }) => name === of));
    const found = lists[at]?.find(({ name }) => name === of);
    if (found === undefined) throw unfit(`${where} has no ${kind} "${of}".`);
    return { ...found, folder: dirname(resolve(files[at] ?? '')) };
  };
  const { context } = find('context', { lists: all.map(({ contexts }) => contexts), of: name });
  const { cluster, folder } = find('cluster', {
    lists: all.map(({ clusters }) => clusters),
    of: context.cluster,
  });
  const user =
    context.user === undefined
      ? undefined
      : find('user', { lists: all.map(({ users }) => users), of: context.user });
  for (const [field, hint] of refused)
    if (field in cluster || field in (user?.user ?? {}))
      throw unfit(`${where} has ${field}, which is not supported.`, hint);
  return {
    server: cluster.server.replace(/\/+$/, ''),
    namespace: context.namespace ?? 'default',
    servername: cluster['tls-server-name'],
    insecure: cluster['insecure-skip-tls-verify'] ?? false,
    readCredential: async () => ({
      ...(user === undefined ? {} : await userCredential(user, { cluster, environment })),
      ca: await content(folder, cluster['certificate-authority-data'], cluster['certificate-authority']),
    }),
  };
}

async function readOne(file: string): Promise<z.infer<typeof Kubeconfig>> {
  const found = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw unfit(`${file} can't be read (${cause.code}).`);
  });
  const read = Kubeconfig.safeParse(parsed(file, found));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw unfit(`${file} has an unfit ${issue?.path.join('.') || 'content'}.`);
}

/** The words of the parser quote the file, which holds secrets. */
function parsed(file: string, found: string): unknown {
  try {
    return parse(found, { prettyErrors: false, logLevel: 'error' });
  } catch {
    throw unfit(`${file} is no YAML.`);
  }
}

interface UserEntry {
  readonly user: z.infer<typeof User>;
  readonly folder: string;
}

async function userCredential(
  { user, folder }: UserEntry,
  {
    cluster,
    environment,
  }: { cluster: z.infer<typeof Cluster>; environment: KubeconfigOptions['environment'] },
): Promise<Credential> {
  if (user.exec) return await credentialOf(user.exec, { folder, environment, server: cluster.server });
  const file =
    user.tokenFile === undefined ? undefined : (await content(folder, undefined, user.tokenFile))?.trim();
  return {
    token: user.token ?? file,
    cert: await content(folder, user['client-certificate-data'], user['client-certificate']),
    key: await content(folder, user['client-key-data'], user['client-key']),
  };
}

/** What stands in the kubeconfig itself wins over a file that it names. */
async function content(
  folder: string,
  data: string | undefined,
  file: string | undefined,
): Promise<string | undefined> {
  if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8');
  if (file === undefined) return undefined;
  const path = resolve(folder, file);
  return await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw unfit(`${path}, which the kubeconfig names, can't be read (${cause.code}).`);
  });
}

const unfit = (message: string, hint?: string) =>
  new Problem('invalid', message, { code: 'kubeconfig_unfit', ...(hint === undefined ? {} : { hint }) });
