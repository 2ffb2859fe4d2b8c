import { hash } from 'node:crypto';
import { parseJson } from '@roadstead/json';
import { Problem } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import type { Context } from '../context/context.ts';
import { algorithmOf, type Reference } from './digest-rules.ts';
import { noRepository } from './image-access.ts';
import type { Repository } from './image-name-rules.ts';
import { KeptRoom } from './image-room.ts';
import { type ManifestFacts, readManifest, wrongManifest } from './manifest-rules.ts';
import {
  deleteManifest,
  deleteTag,
  findManifest,
  holdParts,
  insertManifest,
  type ManifestRow,
  putTag,
} from './manifest-store.ts';
import { deleteBlob, holdRepositories } from './repository-store.ts';
import { spaceOf } from './room-rules.ts';

interface PushedManifest {
  readonly at: Repository;
  readonly reference: Reference;
  /** Further tags. */
  readonly tags: readonly string[];
  readonly content_type: string | null;
  readonly bytes: Buffer;
}

/** Stores the manifest of an image whose parts are there, and answers its digest. */
export async function receiveManifest(
  context: Context,
  { at, reference, tags, content_type, bytes }: PushedManifest,
): Promise<Pick<ManifestFacts, 'subject'> & { readonly digest: string }> {
  const algorithm = 'digest' in reference ? algorithmOf(reference.digest) : 'sha256';
  const digest = `${algorithm}:${hash(algorithm, bytes)}`;
  if ('digest' in reference && reference.digest !== digest)
    throw new Problem('invalid', 'The manifest is not what the digest says.', { code: 'DIGEST_INVALID' });
  const facts = readManifest(await parsed(bytes), content_type);
  const all = [...new Set([...('tag' in reference ? [reference.tag] : []), ...tags])];
  const { workspace_id } = at;
  await using room = await KeptRoom.open(context, { workspace_id, expected: bytes.length });
  await context.db.transaction(async (tx) => {
    if (!(await holdRepositories(tx, at))) throw noRepository();
    await checkParts(tx, at, facts);
    const is_new = await insertManifest(tx, at, { digest, bytes, facts });
    for (const tag of all.toSorted()) await putTag(tx, at, { tag, digest });
    await room.settle(tx, is_new ? spaceOf(bytes.length) : 0);
  });
  context.log.info('image received', { deployment_id: at.deployment_id, image: at.image, digest });
  return { digest, subject: facts.subject };
}

/** More than any image has layers, with what is said of each. */
const MAX_VALUES = 50_000;

async function parsed(bytes: Buffer): Promise<unknown> {
  try {
    return await parseJson(bytes, { max_values: MAX_VALUES });
  } catch (error) {
    if (error instanceof Problem && error.kind === 'malformed')
      throw wrongManifest('The manifest is no JSON.');
    throw error;
  }
}

/** @throws Problem `invalid` where something that it consists of did not come before it */
async function checkParts(tx: Transaction, at: Repository, facts: ManifestFacts): Promise<void> {
  const there = new Set([
    ...(await holdParts(tx, at, { table: 'image_blobs', digests: facts.blobs })),
    ...(await holdParts(tx, at, { table: 'image_manifests', digests: facts.manifests })),
  ]);
  const absent = [...facts.blobs, ...facts.manifests].find((digest) => !there.has(digest));
  if (absent !== undefined)
    throw new Problem('invalid', `The repository does not have ${absent}, which the manifest names.`, {
      code: 'MANIFEST_BLOB_UNKNOWN',
      hint: 'Push it first.',
    });
}

export async function readManifestAt(
  { db }: Pick<Context, 'db'>,
  { at, reference }: { readonly at: Repository; readonly reference: Reference },
): Promise<ManifestRow> {
  const found = await findManifest(db, at, reference);
  if (found === undefined) throw noManifest();
  return found;
}

const reasons = {
  'of a revision': 'A revision of the deployment has this image.',
  'of an index': 'An index of images consists of this one; delete that first.',
} as const;

/** Removes a tag, or an image with all of its tags. @throws Problem `forbidden` where it is needed */
export async function removeManifest(
  { db }: Pick<Context, 'db'>,
  { at, reference }: { readonly at: Repository; readonly reference: Reference },
): Promise<void> {
  if ('tag' in reference) {
    if (!(await deleteTag(db, at, reference))) throw noManifest();
    return;
  }
  const result = await db.transaction((tx) => deleteManifest(tx, at, reference));
  if (result === 'absent') throw noManifest();
  if (result !== 'deleted') throw new Problem('forbidden', reasons[result], { code: 'DENIED' });
}

/** Removes a layer that no manifest names. */
export async function removeLayer(
  { db }: Pick<Context, 'db'>,
  { at, digest }: { readonly at: Repository; readonly digest: string },
): Promise<'deleted' | 'kept'> {
  return db.transaction(async (tx) => ((await deleteBlob(tx, at, { digest })) ? 'deleted' : 'kept'));
}

const noManifest = () =>
  new Problem('not_found', 'The repository has no image of this tag or digest.', {
    code: 'MANIFEST_UNKNOWN',
  });
