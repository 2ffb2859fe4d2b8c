import { Problem } from '@roadstead/kit';
import { isImageName, readReference, type Reference } from './digest-rules.ts';

/** Where images of a deployment are, in names of images and in addresses. Pure. */

export interface DeploymentKey {
  readonly workspace_id: string;
  readonly deployment_id: string;
}

/** A repository: the images of one name of a deployment. */
export interface Repository extends DeploymentKey {
  readonly image: string;
}

/** The name before those of its images, without a registry. */
export const folderOf = ({ workspace_id, deployment_id }: DeploymentKey): string =>
  `images/${workspace_id}/${deployment_id}`;

export const nameOf = (repository: Repository): string => `${folderOf(repository)}/${repository.image}`;

/** The repository of that name; undefined where it is none of ours. */
export function findNamed(name: string): Repository | undefined {
  const [images, workspace_id = '', deployment_id = '', image = '', ...more] = name.split('/');
  return images === 'images' && more.length === 0 ? { workspace_id, deployment_id, image } : undefined;
}

/** The path of an image of the deployment in whichever registry it was pushed to while that was ours; undefined for any other. */
export function findOwnPath(image_uri: string, at: DeploymentKey): string | undefined {
  const path = image_uri.slice(image_uri.indexOf('/') + 1);
  return path.startsWith(`${folderOf(at)}/`) ? path : undefined;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const PUSHED = new RegExp(`/${UUID}/${UUID}/[^/]+$`, 'i');

/** Whether the end of its name says that it was pushed for a deployment, to whichever registry. */
export const isPushed = (image_uri: string): boolean => PUSHED.test(image_uri);

interface NamedImage {
  readonly image: string;
  readonly reference: Reference;
}

/**
 * Reads the name of an image that has to lie in a folder of a registry.
 * @param image_uri a well-formed name; a digest in it counts, and not the tag before
 * @throws Problem `invalid`
 */
export function readImageIn(image_uri: string, folder: string): NamedImage {
  const [named = '', digest] = image_uri.split('@');
  const path = named.startsWith(`${folder}/`) ? named.slice(folder.length + 1) : '';
  const [, image = path, tag = 'latest'] = /^(.*):([^:/]+)$/.exec(path) ?? [];
  if (!isImageName(image)) throw misplaced(folder);
  return { image, reference: readReference(digest ?? tag) };
}

/** The name before those of a deployment's images in the operator's registry. */
export const operatorFolderOf = (
  registry_url: string,
  { workspace_id, deployment_id }: DeploymentKey,
): string => `${registry_url}/${workspace_id}/${deployment_id}`;

/** @throws Problem `invalid` */
export function checkBelow(image_uri: string, folder: string): void {
  readImageIn(image_uri, folder);
}

const misplaced = (folder: string) =>
  new Problem(
    'invalid',
    `source_revision_config.image_uri must name an image below ${folder}/, with one part after that.`,
    {
      hint: 'POST /v2/deployments/{deployment_id}/push-token says where images are pushed to.',
    },
  );
