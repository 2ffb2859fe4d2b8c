import { z } from 'zod';
import { endpoint } from '../../endpoints/endpoint.ts';
import { Uuid } from '../../values/query-values.ts';
import { platform } from '../mounts.ts';

/** The reviewers of an annotation queue: keys, which the API calls identities of members. */

const Reviewer = z.object({ identity_id: Uuid }).meta({ id: 'QueueReviewer' });
const path = '/platform/annotation-queues/{queue_id}/reviewers' as const;
const queue = z.object({ queue_id: Uuid });
const reviewer = queue.extend({ identity_id: Uuid });
const admin = { ...platform, access: 'feedback:admin' } as const;

export const annotationQueueReviewers = {
  addQueueReviewer: endpoint({
    ...admin,
    method: 'POST',
    path,
    summary: 'Assign a reviewer to an annotation queue; one who is assigned already stays so',
    errors: [404],
    params: queue,
    body: Reviewer,
    success: { status: 200, body: Reviewer },
    example: { body: { identity_id: '0199d3a0-0000-7000-8000-0000000000c2' } },
  }),
  readQueueReviewer: endpoint({
    ...platform,
    access: 'feedback:read',
    method: 'GET',
    path: `${path}/{identity_id}`,
    summary: 'Read a reviewer who is assigned to an annotation queue',
    params: reviewer,
    success: { status: 200, body: Reviewer },
  }),
  removeQueueReviewer: endpoint({
    ...admin,
    method: 'DELETE',
    path: `${path}/{identity_id}`,
    summary: 'Take a reviewer from an annotation queue; one who is not assigned is no error',
    params: reviewer,
    success: { status: 204 },
  }),
};
