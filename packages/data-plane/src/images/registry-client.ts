import { createHash } from 'node:crypto';
import type { RegistryAuth } from '@roadstead/containers';
import { basicOf, type Challenge, challengeOf, DOCKER_HUB, Problem, tokenAddress } from '@roadstead/kit';
import { createGuardedFetch, type GuardedFetch } from '@roadstead/outbound';
import { z } from 'zod';
import { type ImageReference, textOf } from './image-reference-rules.ts';
import type { OwnImages } from './own-images.ts';
import { MANIFEST_TYPES } from './registry-rules.ts';

export interface RegistryClientOptions {
  /** Calls addresses that users name: guarded. */
  readonly fetch: GuardedFetch;
  readonly loginAt: (registry: string) => Promise<RegistryAuth | undefined>;
  /** The images of the platform's own registry, which may be anywhere. */
  readonly own: Pick<OwnImages, 'ownerOf' | 'loginFor'>;
}

/** The registry's own words for what it does not give. Tells whether it may go well a moment later. */
export class RegistryRefusal extends Error {
  override readonly name = 'RegistryRefusal';
}

/** The host that serves the API of Docker Hub. */
const DOCKER_HUB_API = 'registry-1.docker.io';
const LOOPBACK = /^(?:127(?:\.\d+){3}|localhost|\[::1\])(?::\d+)?$/;

const Token = z.object({ token: z.string().optional(), access_token: z.string().optional() });

type Login = Pick<RegistryAuth, 'username' | 'password'>;

/** What comes with each question. */
export interface RegistryQuestion {
  /** The logins of whoever asks, the best one first; that of the operator comes after them. */
  readonly logins: readonly Login[];
  readonly signal: AbortSignal;
}

/** A manifest or a configuration, as bytes that fit a digest. */
export interface RegistryContent {
  readonly digest: string;
  readonly json: unknown;
}

/**
 * Reads what registries say of images.
 * @see https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md
 */
export class RegistryClient {
  readonly #options: RegistryClientOptions;

  constructor(options: RegistryClientOptions) {
    this.#options = options;
  }

  /** @throws RegistryRefusal; Problem where its address may not be called, or does not answer */
  async manifest(image: ImageReference, question: RegistryQuestion): Promise<RegistryContent> {
    const accept = MANIFEST_TYPES.join(', ');
    return await this.#read(image, { path: `manifests/${image.version.slice(1)}`, accept, ...question });
  }

  /** @throws as `manifest` does */
  async configuration(
    image: ImageReference,
    { digest, ...question }: RegistryQuestion & { readonly digest: string },
  ): Promise<unknown> {
    const path = `blobs/${digest}`;
    const { json, digest: found } = await this.#read(image, { path, accept: '*/*', ...question });
    if (found !== digest) throw new RegistryRefusal('what it answers is not what was asked for');
    return json;
  }

  async #read(
    image: ImageReference,
    { path, accept, ...question }: RegistryQuestion & { readonly path: string; readonly accept: string },
  ): Promise<RegistryContent> {
    const { registry, repository } = image;
    const host = registry === DOCKER_HUB ? DOCKER_HUB_API : registry;
    // As engines do: nobody is between us and this machine.
    const scheme = LOOPBACK.test(host) ? 'http' : 'https';
    const call = this.#options.own.ownerOf(image) === undefined ? this.#options.fetch : fetch;
    const ask = (authorization?: string) =>
      call(
        new Request(`${scheme}://${host}/v2/${repository}/${path}`, {
          headers: { accept, ...(authorization === undefined ? {} : { authorization }) },
          signal: question.signal,
        }),
      );
    let answer = await ask();
    if (answer.status === 401) {
      const challenge = answer.headers.get('www-authenticate') ?? '';
      for await (const authorization of this.#authorizations(image, { challenge, ...question })) {
        const next = await ask(authorization);
        // That it is not there says more than that it is not given out.
        if (!isDenied(next) || answer.status !== 404) answer = next;
        // Some have no image for whoever may not see it.
        if (!isDenied(next) && next.status !== 404) break;
      }
    }
    if (!answer.ok) throw new RegistryRefusal(`${answer.status} ${(await answer.text()).slice(0, 500)}`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    return { digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`, json: parsed(bytes) };
  }

  /** What to ask with, one after the other, until the registry gives what is asked for. */
  async *#authorizations(
    image: ImageReference,
    { challenge, logins, signal }: RegistryQuestion & { readonly challenge: string },
  ): AsyncGenerator<string> {
    const asked = challengeOf(challenge);
    for (const login of await this.#loginsFor(image, logins)) {
      const basic = login && basicOf(login);
      if (asked?.scheme === 'bearer') {
        const token = await this.#token(image, { asked, basic, signal });
        if (token !== undefined) yield `Bearer ${token}`;
      } else if (basic !== undefined) yield basic;
    }
  }

  /** Without any login there is one question as nobody: some registries give out tokens for that. */
  async #loginsFor(image: ImageReference, logins: readonly Login[]): Promise<readonly (Login | undefined)[]> {
    const { own, loginAt } = this.#options;
    const ours = await own.loginFor(image);
    if (ours !== undefined) return [ours];
    const operators = await loginAt(image.registry);
    const all = operators === undefined ? logins : [...logins, operators];
    return all.length > 0 ? all : [undefined];
  }

  /** Undefined where the login is not good for one. */
  async #token(
    image: ImageReference,
    {
      asked,
      basic,
      signal,
    }: { readonly asked: Challenge; readonly basic: string | undefined; readonly signal: AbortSignal },
  ): Promise<string | undefined> {
    const url = tokenAddress(asked, [asked.scope ?? `repository:${image.repository}:pull`]);
    const headers = basic === undefined ? {} : { authorization: basic };
    const answer = await this.#options.fetch(new Request(url, { headers, signal }));
    if (isDenied(answer)) return undefined;
    if (!answer.ok) throw new RegistryRefusal(`${answer.status} of the token for ${textOf(image)}`);
    const { token, access_token } = Token.parse(await answer.json());
    return token ?? access_token ?? '';
  }
}

/** What manifests and configurations may have. */
const MAX_BYTES = 8_388_608;

/** @param options.allowed_hosts which of private networks may be asked */
export const openRegistries = ({
  allowed_hosts,
  ...options
}: Omit<RegistryClientOptions, 'fetch'> & { readonly allowed_hosts: readonly string[] }): RegistryClient =>
  new RegistryClient({ ...options, fetch: createGuardedFetch({ allowed_hosts, max_bytes: MAX_BYTES }) });

const isDenied = ({ status }: Response) => status === 401 || status === 403;

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new Problem('unavailable', 'The registry answers what no registry does.', {
      code: 'registry_away',
    });
  }
}
