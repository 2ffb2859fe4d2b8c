import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { queryFlag, queryList, Uuid } from '../values/query-values.ts';
import { WellFormedText } from '../values/well-formed-text.ts';
import { Deployment, deploymentParams as params, mounts } from './deployments.ts';

/** Operations on deployments beside creating, reading, changing and deleting one. */

/** The result for one of several. */
const Deletion = z
  .object({
    id: Uuid,
    status: z.enum(['deleted', 'not_found']),
    /** The reason why it was not deleted; null when it was. */
    detail: WellFormedText.nullable(),
  })
  .meta({ id: 'Deletion' });

const Size = z.enum(['S', 'M', 'L']);

/** The last part of the name of an image that is pushed. */
export const ImageName = WellFormedText.regex(
  /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/,
  'must be the name of an image',
).max(128);

/** What an image is pushed by, and where to. */
const PushToken = z
  .object({
    token: WellFormedText,
    /** The name before those of the images. */
    registry_url: WellFormedText,
    username: WellFormedText,
    /** A `password` is for a login of that user; a `bearer` is sent as `Authorization`, as it is. */
    kind: z.enum(['password', 'bearer']),
  })
  .meta({ id: 'PushToken' });

export const deploymentOperations = {
  countFreeDeployments: endpoint({
    method: 'GET',
    path: '/v2/deployments/free-count',
    summary: 'How many deployments of a free tier there are: none, since there are no tiers',
    access: 'deployments:read',
    mounts,
    success: { status: 200, body: z.object({ count: z.number().int() }) },
  }),
  deleteDeployments: endpoint({
    method: 'DELETE',
    path: '/v2/deployments',
    summary: 'Delete several deployments, each by itself; 207 when some of them are not there',
    access: 'deployments:admin',
    mounts,
    errors: [404],
    query: z.object({
      deployment_ids: queryList(Uuid).pipe(z.array(Uuid).min(1).max(100)),
      delete_tracing_project: queryFlag.default(false),
    }),
    success: { status: 200, or: 207, body: z.object({ results: z.array(Deletion) }) },
    example: { query: { deployment_ids: ['0199d3a0-0000-7000-8000-000000000001'] } },
  }),
  restoreDeployment: endpoint({
    method: 'POST',
    path: '/v2/deployments/{deployment_id}/restore',
    summary: 'Take a deployment out of the bin; what served serves again, without a build',
    access: 'deployments:admin',
    mounts,
    errors: [409],
    params,
    success: { status: 200, body: Deployment },
  }),
  createPushToken: endpoint({
    method: 'POST',
    path: '/v2/deployments/{deployment_id}/push-token',
    summary: 'Create a token by which images of a deployment are pushed, and say where to',
    access: 'deployments:write',
    mounts,
    params,
    query: z.object({
      /** The last part of the name to push to; without it, that of the deployment. */
      image: ImageName.optional(),
    }),
    success: { status: 200, body: PushToken },
    example: { query: { image: 'agent' } },
  }),
  setDeploymentTier: endpoint({
    method: 'PATCH',
    path: '/v2/deployments/{deployment_id}/deployment-tier',
    summary: 'Change the tier of a deployment; refused, since there are no tiers',
    access: 'deployments:write',
    mounts,
    params,
    body: z.object({
      deployment_tier: z.enum([
        'SERVERLESS_S',
        'SERVERLESS_M',
        'SERVERLESS_L',
        'DEDICATED_S',
        'DEDICATED_M',
        'DEDICATED_L',
      ]),
    }),
    success: { status: 200, body: Deployment },
    example: { body: { deployment_tier: 'DEDICATED_S' } },
  }),
  setResourceTiers: endpoint({
    method: 'PATCH',
    path: '/v2/deployments/{deployment_id}/resource-tiers',
    summary: 'Change the resource tiers of a deployment; refused, since there are no tiers',
    access: 'deployments:write',
    mounts,
    params,
    body: z.object({ compute_tier: Size.nullish(), database_tier: Size.nullish() }),
    success: { status: 200, body: Deployment },
    example: { body: { compute_tier: 'M' } },
  }),
};
