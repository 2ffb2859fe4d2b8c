import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { WellFormedText } from '../values/well-formed-text.ts';
import { IMAGES_PATH, repositoryParams } from './image-blobs.ts';

/** How layers come into the registry: whole, or piece by piece. */

const params = repositoryParams.extend({ upload: WellFormedText.max(100) });
const Digest = WellFormedText.max(200);
const common = {
  access: 'deployments:write',
  dialect: 'oci',
  raw: true,
  media_type: 'application/octet-stream',
} as const;
const digest = `sha256:${'0'.repeat(64)}`;

export const imageUploads = {
  beginImageUpload: endpoint({
    ...common,
    method: 'POST',
    path: `${IMAGES_PATH}/blobs/uploads`,
    summary: 'Begin to upload a layer; with its digest, send it whole, or take it from another repository',
    params: repositoryParams,
    query: z.object({
      digest: Digest.optional(),
      /** The digest of a layer that another repository of the workspace may have. */
      mount: Digest.optional(),
      /** That repository; absent: any. */
      from: WellFormedText.max(500).optional(),
      /** The algorithm that is meant to be used; any is. */
      'digest-algorithm': WellFormedText.max(20).optional(),
    }),
    success: { status: 201, or: 202 },
    example: { query: { digest } },
  }),
  readImageUpload: endpoint({
    method: 'GET',
    path: `${IMAGES_PATH}/blobs/uploads/{upload}`,
    summary: 'How much of a layer has come',
    access: 'deployments:read',
    dialect: 'oci',
    params,
    /** A client whose end of an upload was refused asks the same address, its digest included. */
    query: z.object({ digest: Digest.optional() }),
    success: { status: 204 },
    example: { query: { digest } },
  }),
  appendImageUpload: endpoint({
    ...common,
    method: 'PATCH',
    path: `${IMAGES_PATH}/blobs/uploads/{upload}`,
    summary: 'Send the next piece of a layer',
    params,
    success: { status: 202 },
    errors: [416],
  }),
  finishImageUpload: endpoint({
    ...common,
    method: 'PUT',
    path: `${IMAGES_PATH}/blobs/uploads/{upload}`,
    summary: 'End the upload of a layer by its digest, with its last piece or without one',
    params,
    query: z.object({ digest: Digest.optional() }),
    success: { status: 201 },
    errors: [416],
    example: { query: { digest } },
  }),
  cancelImageUpload: endpoint({
    method: 'DELETE',
    path: `${IMAGES_PATH}/blobs/uploads/{upload}`,
    summary: 'Give up the upload of a layer',
    access: 'deployments:write',
    dialect: 'oci',
    params,
    success: { status: 204 },
  }),
};
