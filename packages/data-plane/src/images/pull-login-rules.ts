import { DOCKER_HUB } from '@roadstead/kit';
import { z } from 'zod';
import type { ImageReference } from './image-reference-rules.ts';

/**
 * Logins at registries as secrets of a cluster hold them, and which of them are for an image, by the rules of its nodes. Pure.
 * @see https://kubernetes.io/docs/concepts/containers/images/#config-json
 */
export interface PullLogin {
  /** The registry, perhaps with a pattern in its name and a path. */
  readonly at: string;
  readonly username: string;
  readonly password: string;
}

interface PullSecretData {
  readonly type?: string | undefined;
  /** Base64. */
  readonly data?: Readonly<Record<string, string>> | undefined;
}

const Entries = z.record(
  z.string(),
  z.object({ username: z.string(), password: z.string(), auth: z.string() }).partial(),
);
const DockerConfigJson = z.object({ auths: Entries }).transform(({ auths }) => auths);

const forms = {
  'kubernetes.io/dockerconfigjson': { key: '.dockerconfigjson', schema: DockerConfigJson },
  'kubernetes.io/dockercfg': { key: '.dockercfg', schema: Entries },
} as const;

/** Undefined for a secret that holds no logins at registries. */
export function pullLoginsOf({ type = '', data = {} }: PullSecretData): PullLogin[] | undefined {
  const form = forms[type as keyof typeof forms] as (typeof forms)[keyof typeof forms] | undefined;
  if (form === undefined) return undefined;
  const entries = form.schema.safeParse(jsonOf(data[form.key] ?? ''));
  if (!entries.success) return undefined;
  return Object.entries(entries.data).map(([at, { username = '', password = '', auth = '' }]) => {
    const [, user = username, secret = password] =
      /^([^:]*):(.*)$/s.exec(Buffer.from(auth, 'base64').toString()) ?? [];
    return { at, username: user, password: secret };
  });
}

function jsonOf(base64: string): unknown {
  try {
    return JSON.parse(Buffer.from(base64, 'base64').toString());
  } catch {
    return undefined;
  }
}

/** The logins for an image, the one for the longest path first. */
export function loginsFor(logins: readonly PullLogin[], image: ImageReference): PullLogin[] {
  return logins
    .map((login) => ({ ...login, place: placeOf(login.at) }))
    .filter(({ place }) => isFor(place, image))
    .toSorted((one, other) => (one.place < other.place ? 1 : -1))
    .map(({ username, password }) => ({ username, password, at: image.registry }));
}

/** A registry and a path, as clients of registries write them: with a scheme, or with the version of its interface. */
function placeOf(at: string): string {
  const [host = '', ...path] = at.replace(/^https?:\/\//, '').split('/');
  const below = /^v[12]$/.test(path[0] ?? '') ? path.slice(1) : path;
  const named = host === `index.${DOCKER_HUB}` ? DOCKER_HUB : host;
  return [named, ...below].join('/').replace(/\/+$/, '');
}

function isFor(place: string, { registry, repository }: ImageReference): boolean {
  const [host = '', ...path] = place.split('/');
  const [name, port] = host.split(':');
  const [asked, asked_port] = registry.split(':');
  const labels = (name ?? '').split('.');
  const asked_labels = (asked ?? '').split('.');
  return (
    port === asked_port &&
    labels.length === asked_labels.length &&
    labels.every((label, index) => fits(label, asked_labels[index] ?? '')) &&
    repository.startsWith(path.join('/'))
  );
}

/** A star is any text within one label. */
function fits(pattern: string, label: string): boolean {
  const [first = '', ...parts] = pattern.split('*');
  if (parts.length === 0) return pattern === label;
  let rest = label.startsWith(first) ? label.slice(first.length) : undefined;
  const last = parts.pop() ?? '';
  for (const part of parts) {
    const found = rest?.indexOf(part) ?? -1;
    rest = found === -1 ? undefined : rest?.slice(found + part.length);
  }
  return rest?.endsWith(last) === true;
}
