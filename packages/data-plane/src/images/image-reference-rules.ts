import { DOCKER_HUB } from '@roadstead/kit';

/** Names of images, as they are written and as engines and registries complete them. Pure. */

/** Where an image is: a registry, a path there, and a tag or a digest. */
export interface ImageReference {
  /** `host` or `host:port`. */
  readonly registry: string;
  /** The path in the registry. */
  readonly repository: string;
  /** `:tag` or `@sha256:…`. */
  readonly version: string;
}

/** The other name of the registry of names without one, and the folder of its own images. */
const DOCKER_HUB_INDEX = 'index.docker.io';
const DOCKER_HUB_OWN = 'library/';

/** @param image_uri an image's name, which the control plane has checked (`registry/path:tag@sha256:…`) */
export function imageReferenceOf(image_uri: string): ImageReference {
  const [named = '', digest] = image_uri.split('@');
  const [, path = named, tag = 'latest'] = /^(.*):([^:/]+)$/.exec(named) ?? [];
  const version = digest === undefined ? `:${tag}` : `@${digest}`;
  const [first = '', ...rest] = path.split('/');
  const has_registry = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  if (has_registry && first !== DOCKER_HUB && first !== DOCKER_HUB_INDEX)
    return { registry: first, repository: rest.join('/'), version };
  const repository = has_registry ? rest.join('/') : path;
  const isOwn = !repository.includes('/');
  return { registry: DOCKER_HUB, repository: isOwn ? DOCKER_HUB_OWN + repository : repository, version };
}

export const textOf = ({ registry, repository, version }: ImageReference): string =>
  `${registry}/${repository}${version}`;

/** Whether it names one image for ever: by the digest of a registry, or by the id that an engine gave to what was built there. */
export const isPinned = (image_uri: string): boolean => /(?:^|@)sha256:[0-9a-f]{64}$/.test(image_uri);

/** Whether it is the id of an image, which no registry knows. */
export const isImageId = (image_uri: string): boolean => /^sha256:[0-9a-f]{64}$/.test(image_uri);

/** The name by which an image is found again: with the registry's digest of it, or by its id where no registry has it. */
export function pinnedName(
  image_uri: string,
  { id, repository_digests }: { readonly id: string; readonly repository_digests: readonly string[] },
): string {
  const asked = imageReferenceOf(image_uri);
  if (isPinned(image_uri)) return isImageId(image_uri) ? image_uri : textOf(asked);
  const found = repository_digests
    .map(imageReferenceOf)
    .find(({ registry, repository }) => registry === asked.registry && repository === asked.repository);
  return found === undefined ? id : textOf(found);
}

/** The digest by which a pinned name ends. */
export const digestOfPinned = (image_uri: string): string =>
  image_uri.slice(image_uri.lastIndexOf('sha256:'));

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const PUSHED = new RegExp(`(?:^|/)${UUID}/(${UUID})/[^/]+$`);

/** The deployment that an image was pushed for, as the end of its path says (`…/{workspace}/{deployment}/{image}`), in whichever registry. */
export const pushedFor = ({ repository }: ImageReference): string | undefined => PUSHED.exec(repository)?.[1];

/**
 * Whether an engine found it by its id, under whatever name it came: by all of that, or by how it begins. A name may be made of such digits,
 * too, as `cafe` is.
 */
export function isIdOrPart(image_uri: string, id: string): boolean {
  const [, part] = /^(?:sha256:)?([0-9a-f]{1,64})$/.exec(image_uri) ?? [];
  return part !== undefined && id.replace(/^sha256:/, '').startsWith(part);
}
