import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { WellFormedText } from '../values/well-formed-text.ts';
import { mounts, deploymentParams } from './deployments.ts';

export const UploadAddress = z
  .object({ upload_url: WellFormedText, object_path: WellFormedText })
  .meta({ id: 'UploadAddress' });
const params = deploymentParams;

export const uploads = {
  createUploadAddress: endpoint({
    method: 'POST',
    path: '/v2/deployments/{deployment_id}/upload-url',
    summary: 'A signed address for the source archive (gzip tar, 200 MB at most, 15 minutes)',
    access: 'deployments:write',
    mounts,
    errors: [409],
    params,
    success: { status: 200, body: UploadAddress },
  }),
  createUploadAddressUnversioned: endpoint({
    method: 'POST',
    path: '/deployments/{deployment_id}/upload-url',
    summary: 'Alias of the versioned form, as the specification writes it',
    access: 'deployments:write',
    mounts,
    errors: [409],
    params,
    success: { status: 200, body: UploadAddress },
  }),
  putUpload: endpoint({
    method: 'PUT',
    path: '/v2/uploads/{token}',
    summary: 'Receive a source archive at its signed address',
    mounts,
    auth: 'token',
    params: z.object({ token: WellFormedText.max(1000) }),
    raw: true,
    media_type: 'application/gzip',
    errors: [409],
    max_body_bytes: 209_715_200,
    success: { status: 200 },
  }),
};
