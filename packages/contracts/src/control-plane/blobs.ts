import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

export const blobs = {
  readBlob: endpoint({
    method: 'GET',
    path: '/v2/blobs/{token}',
    summary: 'Read a blob at its signed address',
    auth: 'token',
    params: z.object({ token: WellFormedText.max(1000) }),
    success: { status: 200, or: 303, media_types: ['application/octet-stream'] },
  }),
  putBlob: endpoint({
    method: 'PUT',
    path: '/v2/blobs/{token}',
    summary: 'Write a blob at its signed address; answers its digest',
    auth: 'token',
    params: z.object({ token: WellFormedText.max(1000) }),
    raw: true,
    media_type: 'application/octet-stream',
    max_body_bytes: 2_147_483_648,
    success: { status: 200, body: z.object({ digest: WellFormedText, size: z.number() }) },
  }),
};
