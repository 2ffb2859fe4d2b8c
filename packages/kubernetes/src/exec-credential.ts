import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { Problem } from '@roadstead/kit';
import { z } from 'zod';
import type { Credential } from './cluster-access.ts';

const LIMIT_MS = 60_000;
/** Taken off the life of what a program gave, so that nothing expires on its way. */
const MARGIN_MS = 30_000;

/** How a kubeconfig names a program that gives credentials, such as `aws eks get-token`. */
export const Exec = z.object({
  apiVersion: z.enum(['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']),
  command: z.string().min(1),
  args: z
    .array(z.string())
    .nullish()
    .transform((list) => list ?? []),
  env: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .nullish()
    .transform((list) => list ?? []),
  interactiveMode: z.enum(['Never', 'IfAvailable']).optional(),
});

const Given = z.object({
  kind: z.literal('ExecCredential'),
  status: z.object({
    token: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
    expirationTimestamp: z.iso.datetime({ offset: true }).optional(),
  }),
});

interface ExecOptions {
  /** The folder of the kubeconfig: a command with a slash is relative to it. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly server: string;
}

/**
 * Asks a program for a credential. It gets no terminal, so it can't ask anybody.
 * @throws Problem `unavailable` naming the program, without what it printed, which may hold secrets
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
export async function credentialOf(
  { apiVersion, command, args, env }: z.infer<typeof Exec>,
  { folder, environment, server }: ExecOptions,
): Promise<Credential> {
  const program = command.includes('/') ? resolve(folder, command) : command;
  const info = { apiVersion, kind: 'ExecCredential', spec: { interactive: false, cluster: { server } } };
  const running = promisify(execFile)(program, args, {
    timeout: LIMIT_MS,
    env: {
      ...environment,
      ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
      KUBERNETES_EXEC_INFO: JSON.stringify(info),
    },
  });
  running.child.stdin?.end();
  const { stdout } = await running.catch((cause: NodeJS.ErrnoException) => {
    throw failed(command, `it ended with ${cause.code ?? 'a signal'}`);
  });
  const given = Given.safeParse(parsed(stdout));
  if (!given.success) throw failed(command, 'it printed no ExecCredential');
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = given.data.status;
  const expires_at =
    expirationTimestamp === undefined ? undefined : Date.parse(expirationTimestamp) - MARGIN_MS;
  return { token, cert, key, expires_at };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const failed = (command: string, why: string) =>
  new Problem('unavailable', `The program ${command} of the kubeconfig gave no credential: ${why}.`, {
    code: 'cluster_away',
  });
