import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

export const attachments = {
  readAttachment: endpoint({
    method: 'GET',
    path: '/attachments/{token}',
    summary: 'Read a file of a run or an example at its signed address',
    auth: 'token',
    params: z.object({ token: WellFormedText.max(8000) }),
    success: { status: 200, or: 303, media_types: ['application/octet-stream'] },
    errors: [404],
  }),
};
