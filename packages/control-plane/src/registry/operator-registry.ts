import {
  basicOf,
  type Challenge,
  challengeOf,
  findLogin,
  type Log,
  Problem,
  type RegistryLogin,
  tokenAddress,
} from '@roadstead/kit';
import { z } from 'zod';

/** The operator's registry, as far as a push needs it: what its clients push by. */

/** What a client of a registry pushes by: the password of its user, or a token that it sends as it is. */
export interface PushCredential {
  readonly kind: 'password' | 'bearer';
  readonly username: string;
  readonly token: string;
}

export interface OperatorRegistry {
  /** Its name, with a port if any. */
  readonly registry: string;
  /** The file that has the login there, as `docker login` writes it. */
  readonly login_file: string;
  /** Whether its operator lets those who push have that login, where it has no tokens. */
  readonly share_login: boolean;
  readonly log: Log;
}

const TIMEOUT_MS = 10_000;
const LOOPBACK = /^(?:127(?:\.\d+){3}|localhost|\[::1\])(?::\d+)?$/;
const Token = z.object({ token: z.string().optional(), access_token: z.string().optional() });

/**
 * Asks for what the repositories are pushed by: a token for them alone where the registry has a service of tokens. One that asks for
 * passwords, and says so, has the login itself if its operator wants that.
 * @param repositories their paths in the registry
 * @throws Problem `unavailable` where the registry, or the login, is not there; `invalid` where there is only the login, and it is not shared
 */
export async function askCredential(
  { registry, login_file, share_login, log }: OperatorRegistry,
  repositories: readonly string[],
): Promise<PushCredential> {
  const login = await findLogin(login_file, registry);
  if (login === undefined) throw away('The login at the registry of this platform is not there.');
  try {
    // As engines do: nobody is between us and this machine.
    const scheme = LOOPBACK.test(registry) ? 'http' : 'https';
    const challenge = await askChallenge(`${scheme}://${registry}/v2/`);
    if (challenge.scheme === 'basic') {
      if (!share_login) throw notShared(registry);
      return { kind: 'password', username: login.username, token: login.password };
    }
    const scopes = repositories.map((path) => `repository:${path}:push,pull`);
    return {
      kind: 'bearer',
      username: login.username,
      token: await askToken(tokenAddress(challenge, scopes), login),
    };
  } catch (error) {
    if (error instanceof Problem) throw error;
    log.warn('the registry of the operator does not answer', { registry, error });
    throw away('The registry of this platform does not answer.', error);
  }
}

/** Any other answer says nothing of what pushes need, such as that of a proxy before it. */
async function askChallenge(address: string): Promise<Challenge> {
  const { status, headers } = await ask(address);
  const challenge = status === 401 ? challengeOf(headers.get('www-authenticate') ?? '') : undefined;
  if (challenge === undefined) throw new Error(`it answers ${status}, and does not say how to log in`);
  if (challenge.scheme === 'bearer' && address.startsWith('https:') && !challenge.realm.startsWith('https:'))
    throw new Error('its service of tokens has no https');
  return challenge;
}

async function askToken(address: URL, login: RegistryLogin): Promise<string> {
  const answer = await ask(address, { authorization: basicOf(login) });
  if (!answer.ok) throw new Error(`its service of tokens answers ${answer.status}`);
  const { token, access_token } = Token.parse(await answer.json());
  const given = token ?? access_token ?? '';
  if (given === '') throw new Error('its service of tokens gives none');
  return given;
}

/** Not guarded: its address is the operator's. */
const ask = (address: string | URL, headers: Record<string, string> = {}) =>
  fetch(address, { headers, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });

const away = (message: string, cause?: unknown) =>
  new Problem('unavailable', message, {
    hint: 'Its operator looks at ROADSTEAD_REGISTRY_URL, ROADSTEAD_REGISTRY_LOGIN and the log of the control plane.',
    retry_after_s: 10,
    cause,
  });

const notShared = (registry: string) =>
  new Problem(
    'invalid',
    `The registry of this platform (${registry}) has no tokens for single images, and its login is not given out.`,
    {
      hint: 'Log in there, push the image, and PATCH source_revision_config.image_uri. Its operator may share the login with all who deploy (ROADSTEAD_REGISTRY_SHARE_LOGIN).',
    },
  );
