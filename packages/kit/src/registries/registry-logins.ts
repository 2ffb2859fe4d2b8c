import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

/** The registry of names of images without one. */
export const DOCKER_HUB = 'docker.io';

/** A login at a registry of images. */
export interface RegistryLogin {
  readonly username: string;
  readonly password: string;
  /** As `docker login` names it. */
  readonly serveraddress: string;
}

export const basicOf = ({ username, password }: Pick<RegistryLogin, 'username' | 'password'>): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

const DockerConfig = z.object({
  auths: z
    .record(
      z.string(),
      z.object({
        auth: z.string().optional(),
        username: z.string().optional(),
        password: z.string().optional(),
      }),
    )
    .optional(),
});
/** The name under which `docker login` keeps the login at Docker Hub. */
const DOCKER_HUB_ADDRESS = 'https://index.docker.io/v1/';

/**
 * The logins that the operator has made with `docker login` or `podman login --compat-auth-file`, read anew each time. One that is kept by a
 * helper program is not found.
 * @param environment `DOCKER_CONFIG` names the folder of `config.json`; unset, it is `~/.docker`
 */
export function registryLogins(
  environment: Readonly<Record<string, string | undefined>>,
): (registry: string) => Promise<RegistryLogin | undefined> {
  const folder = environment['DOCKER_CONFIG'] ?? join(environment['HOME'] ?? homedir(), '.docker');
  return (registry) => findLogin(join(folder, 'config.json'), registry);
}

/** The login at a registry in a file of that form. */
export async function findLogin(path: string, registry: string): Promise<RegistryLogin | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '{}');
  const { auths = {} } = parsed(text);
  const address = registry === DOCKER_HUB ? DOCKER_HUB_ADDRESS : registry;
  const login = [address, `https://${address}`, `https://${address}/`]
    .map((one) => auths[one])
    .find((one) => Boolean(one?.auth) || Boolean(one?.password));
  if (login === undefined) return undefined;
  // Secrets of a cluster may have both parts apart.
  const { auth = '', username: user = '', password: secret = '' } = login;
  const [, username = user, password = secret] =
    auth === '' ? [] : (/^([^:]*):(.*)$/s.exec(Buffer.from(auth, 'base64').toString()) ?? []);
  return { username, password, serveraddress: address };
}

function parsed(text: string): z.output<typeof DockerConfig> {
  try {
    return DockerConfig.parse(JSON.parse(text));
  } catch {
    return {};
  }
}
