import type { ResourceSpec, SourceKind } from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import type { Transaction } from '@roadstead/postgres';
import type { Context } from '../context/context.ts';
import {
  checkBelow,
  type DeploymentKey,
  findOwnPath,
  folderOf,
  isPushed,
  operatorFolderOf,
  readImageIn,
} from './image-name-rules.ts';
import { registryOf } from './image-tokens.ts';
import { holdManifest } from './manifest-store.ts';

/** Images that were pushed, as revisions name them. */

type ImageContext = Pick<Context, 'public_url' | 'images'>;

/**
 * The image that a revision names, by its digest where the registry is ours: what is pushed under its tag later changes no revision. It
 * is kept as long as the revision is.
 * @throws Problem `invalid` for one that lies elsewhere or was not pushed
 */
export async function pinImage(
  tx: Transaction,
  context: ImageContext,
  { image_uri, ...at }: DeploymentKey & { readonly image_uri: string },
): Promise<string> {
  const { registry_url } = context.images;
  // One that came before the operator's registry did.
  const isEarlier = registry_url !== undefined && findOwnPath(image_uri, at) !== undefined;
  if (registry_url !== undefined && !isEarlier) {
    checkBelow(image_uri, operatorFolderOf(registry_url, at));
    return image_uri;
  }
  const folder = registryOf(context, at);
  const { image, reference } = readImageIn(image_uri, folder);
  const digest = await holdManifest(tx, { ...at, image }, reference);
  if (digest === undefined)
    throw new Problem(
      'invalid',
      'source_revision_config.image_uri names no image that was pushed, or one that was removed.',
      { hint: 'Push it again: POST /v2/deployments/{deployment_id}/push-token gives the credential.' },
    );
  if (!digest.startsWith('sha256:'))
    throw new Problem(
      'invalid',
      'source_revision_config.image_uri names an image that has no digest by SHA-256.',
    );
  return `${folder}/${image}@${digest}`;
}

/** Keeps the image of a revision for another one that has it. @throws Problem `invalid` where it was removed */
export async function keepRevisionImage(
  tx: Transaction,
  { image_uri, ...at }: DeploymentKey & { readonly image_uri: string },
): Promise<void> {
  const path = findOwnPath(image_uri, at);
  if (path === undefined) return;
  const { image, reference } = readImageIn(path, folderOf(at));
  if ((await holdManifest(tx, { ...at, image }, reference)) === undefined)
    throw new Problem('invalid', 'The image of this revision was removed.', { hint: 'Push it again.' });
}

/** @throws Problem `invalid` for an image of our registry that is not a deployment's own, and for any of a deployment that is not there yet */
export function checkFirstImage(
  { public_url }: Pick<Context, 'public_url'>,
  { source, image_uri }: { readonly source: SourceKind; readonly image_uri: string | null },
): void {
  if (image_uri === null) return;
  if (source === 'external_image') return refuseOwnImage({ public_url }, { image_uri });
  if (source !== 'internal_image') return;
  throw new Problem(
    'invalid',
    'source_revision_config.image_uri cannot be given for a new deployment: its images are pushed to a place of its own.',
    {
      hint: 'Create it without one, push by POST /v2/deployments/{deployment_id}/push-token, then PATCH it.',
    },
  );
}

interface NamedImage {
  readonly image_uri: string;
  /** Where it is named. */
  readonly field?: string;
}

/** The same for containers beside that of the deployment. @throws Problem `invalid` */
export function refuseOwnSidecars(
  context: Pick<Context, 'public_url'>,
  spec: ResourceSpec | null | undefined,
): void {
  for (const part of ['init_containers', 'sidecars'] as const)
    for (const [at, { image }] of (spec?.[part] ?? []).entries())
      refuseOwnImage(context, {
        image_uri: image,
        field: `source_config.resource_spec.${part}[${at}].image`,
      });
}

/** Pushed images are those of one deployment each, wherever they were pushed to. @throws Problem `invalid` */
export function refuseOwnImage(
  { public_url }: Pick<Context, 'public_url'>,
  { image_uri, field = 'source_revision_config.image_uri' }: NamedImage,
): void {
  const isOurs = image_uri.toLowerCase().startsWith(`${new URL(public_url).host}/images/`);
  if (!isOurs && !isPushed(image_uri)) return;
  throw new Problem(
    'invalid',
    `${field} names an image that was pushed for a deployment, which runs with source internal_image.`,
  );
}

/** An image as a listener fetches it: one of our registry by our present address. */
export function imageForListener(
  { public_url }: Pick<Context, 'public_url'>,
  { image_uri, source, ...at }: DeploymentKey & { readonly image_uri: string; readonly source: string },
): { readonly image_uri: string; readonly is_ours: boolean } {
  const path = source === 'internal_image' ? findOwnPath(image_uri, at) : undefined;
  if (path === undefined) return { image_uri, is_ours: false };
  return { image_uri: `${new URL(public_url).host}/${path}`, is_ours: true };
}
