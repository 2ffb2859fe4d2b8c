import { ImageName } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';

/** Digests and tags: how something of a repository is named. Pure. */

const ALGORITHMS = { sha256: 64, sha512: 128 } as const;
export type Algorithm = keyof typeof ALGORITHMS;
const DIGEST = new RegExp(
  `^(?:${Object.entries(ALGORITHMS)
    .map(([name, length]) => `${name}:[0-9a-f]{${length}}`)
    .join('|')})$`,
);
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

export type Reference = { readonly tag: string } | { readonly digest: string };

export const isImageName = (text: string): boolean => ImageName.safeParse(text).success;

export const isOciDigest = (text: string): boolean => DIGEST.test(text);

/** @throws Problem `invalid` for what is no digest that we know */
export function readDigest(text: string | undefined): string {
  if (text !== undefined && isOciDigest(text)) return text;
  throw new Problem('invalid', 'The digest is none: it has the form sha256:… or sha512:….', {
    code: 'DIGEST_INVALID',
  });
}

/** @throws Problem `invalid` */
export function readTag(text: string): string {
  if (TAG.test(text)) return text;
  throw new Problem(
    'invalid',
    'A tag has 1 to 128 letters, digits, dots, hyphens and underscores, and begins with neither dot nor hyphen.',
    { code: 'TAG_INVALID' },
  );
}

/** Digests have a colon, and tags have none. @throws Problem `invalid` */
export function readReference(text: string): Reference {
  return text.includes(':') ? { digest: readDigest(text) } : { tag: readTag(text) };
}

export const algorithmOf = (digest: string): Algorithm => digest.split(':', 1)[0] as Algorithm;
