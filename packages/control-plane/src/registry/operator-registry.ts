import {
  basicOf,
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
  readonly log: Log;
}

const TIMEOUT_MS = 10_000;
const LOOPBACK = /^(?:127(?:\.\d+){3}|localhost|\[::1\])(?::\d+)?$/;
const Token = z.object({ token: z.string().optional(), access_token: z.string().optional() });

/**
 * Asks for what the repositories are pushed by: a token for them alone where the registry has a service of tokens, else the login itself.
 * @param repositories their paths in the registry
 * @throws Problem `unavailable` where the registry, or the login, is not there
 */
export async function askCredential(
  { registry, login_file, log }: OperatorRegistry,
  repositories: readonly string[],
): Promise<PushCredential> {
  const login = await findLogin(login_file, registry);
  if (login === undefined) throw away('The login at the registry of this platform is not there.');
  try {
    // As engines do: nobody is between us and this machine.
    const scheme = LOOPBACK.test(registry) ? 'http' : 'https';
    const { headers } = await ask(`${scheme}://${registry}/v2/`);
    const challenge = challengeOf(headers.get('www-authenticate') ?? '');
    if (challenge?.scheme !== 'bearer')
      return { kind: 'password', username: login.username, token: login.password };
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
