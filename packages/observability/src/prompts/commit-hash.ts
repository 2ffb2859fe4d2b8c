import { createHash } from 'node:crypto';

/** The hash of a version, 64 hexadecimal digits; two versions with one manifest have different hashes. */
export function hashOf({
  manifest,
  parent,
}: {
  readonly manifest: string;
  readonly parent: string | null;
}): string {
  return createHash('sha256')
    .update(`${parent ?? ''}\n`)
    .update(manifest)
    .digest('hex');
}

/** The bytes of the digest of a manifest alone. */
export function digestOf(manifest: string): number[] {
  return [...createHash('sha256').update(manifest).digest()];
}
