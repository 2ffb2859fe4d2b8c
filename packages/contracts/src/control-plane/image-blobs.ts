import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

/**
 * The registry of images (OCI distribution 1.1). A deployment of source `internal_image` has repositories of its own, whose names are
 * `images/{workspace}/{deployment}/{image}`: clients of registries put `/v2/` before them.
 */
export const IMAGES_PATH = '/v2/images/{workspace}/{deployment}/{image}';

const Name = WellFormedText.max(300);
export const repositoryParams = z.object({ workspace: Name, deployment: Name, image: Name });
const params = repositoryParams.extend({ digest: Name });

export const imageBlobs = {
  readRegistry: endpoint({
    method: 'GET',
    path: '/v2',
    summary: 'Whether a credential is good for the registry of images; clients log in by it',
    access: 'deployments:read',
    workspace: 'any',
    dialect: 'oci',
    success: { status: 200, media_types: ['application/json'] },
  }),
  readImageBlob: endpoint({
    method: 'GET',
    path: `${IMAGES_PATH}/blobs/{digest}`,
    summary: 'Read a layer or a configuration of an image, or a range of its bytes',
    access: 'deployments:read',
    dialect: 'oci',
    params,
    success: { status: 200, or: [206, 303], media_types: ['application/octet-stream'] },
    errors: [416],
  }),
  deleteImageBlob: endpoint({
    method: 'DELETE',
    path: `${IMAGES_PATH}/blobs/{digest}`,
    summary: 'Remove a layer or a configuration that no image of the repository has',
    access: 'deployments:admin',
    dialect: 'oci',
    params,
    success: { status: 202 },
  }),
};
