import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { filterBy, queryFlag, queryInt, queryList, Timestamp, Uuid } from '../values/query-values.ts';
import { Deployment, DeploymentPatchRequest, mounts, SourceKind } from './deployments.ts';
import { ResourceSpec } from './resource-spec.ts';
import { Phase, RevisionStatus, StatusReason } from './statuses.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

const text = WellFormedText.nullable();

export const Revision = z
  .object({
    id: Uuid,
    deployment_id: Uuid,
    number: z.number(),
    status: RevisionStatus,
    status_reason: StatusReason.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
    source: SourceKind,
    repo_ref: text,
    langgraph_config_path: text,
    image_uri: text,
    source_tarball_path: text,
    repo_commit_sha: text,
    source_revision_config: z.object({
      repo_ref: text,
      langgraph_config_path: text,
      image_uri: text,
      source_tarball_path: text,
      repo_commit_sha: text,
    }),
    phases: z.array(z.object({ phase: Phase, started_at: Timestamp, ended_at: Timestamp.nullable() })),
    trigger: z.object({
      kind: z.enum(['create', 'patch', 'redeploy', 'secret', 'push', 'api']),
      actor: WellFormedText,
    }),
    superseded_by: Uuid.nullable(),
    rollback_of: Uuid.nullable(),
    artifact_digest: text,
    /** The image of a revision without an artifact of ours. */
    artifact_image: text,
    install_command: text,
    build_command: text,
    resource_spec: ResourceSpec.nullable(),
    /** The number of its environment: it changes when secrets are set, added or removed. */
    environment_version: z.number(),
    secret_names: z.array(WellFormedText),
  })
  .meta({ id: 'Revision' });
export type Revision = z.output<typeof Revision>;

const params = z.object({ deployment_id: Uuid });
export const revisionParams = params.extend({ revision_id: Uuid });

const interruption = {
  method: 'POST',
  access: 'deployments:write',
  mounts,
  errors: [409],
  params: revisionParams,
  success: { status: 200, body: Revision },
} as const;

export const revisions = {
  createRevision: endpoint({
    method: 'POST',
    path: '/v2/deployments/{deployment_id}/revisions',
    summary: 'Create a revision even when nothing has changed; takes what PATCH takes of a revision',
    access: 'deployments:write',
    mounts,
    errors: [409, 412],
    params,
    body: DeploymentPatchRequest.pick({
      source_config: true,
      source_revision_config: true,
      secrets: true,
      secret_references: true,
    }),
    success: { status: 201, body: Revision },
    example: { body: { secrets: [{ name: 'OPENAI_API_KEY', value: 'sk-another' }] } },
  }),
  listRevisions: endpoint({
    method: 'GET',
    path: '/v2/deployments/{deployment_id}/revisions',
    summary: 'List the revisions of a deployment, newest first',
    access: 'deployments:read',
    mounts,
    params,
    query: z.object({
      limit: queryInt({ min: 1, max: 100, fallback: 20 }),
      offset: queryInt({ fallback: 0 }),
      status: filterBy(queryList(RevisionStatus)),
      remote_reconciled: queryFlag.optional(),
    }),
    success: { status: 200, body: z.object({ resources: z.array(Revision), offset: z.number() }) },
    example: { query: { limit: '10', status: ['DEPLOYED'] } },
  }),
  readRevision: endpoint({
    method: 'GET',
    path: '/v2/deployments/{deployment_id}/revisions/{revision_id}',
    summary: 'Read a revision',
    access: 'deployments:read',
    mounts,
    params: revisionParams,
    success: { status: 200, body: Revision },
  }),
  redeployRevision: endpoint({
    method: 'POST',
    path: '/v2/deployments/{deployment_id}/revisions/{revision_id}/redeploy',
    summary: 'Roll back: a new revision with the artifact, configuration and environment of an old one',
    access: 'deployments:write',
    mounts,
    errors: [409],
    params: revisionParams,
    query: z.object({
      force: queryFlag
        .optional()
        .describe('Also where the LangGraph of the old revision does not read the threads of newer ones.'),
    }),
    success: { status: 200, body: Deployment },
    example: { query: { force: 'false' } },
  }),
  interruptRevision: endpoint({
    ...interruption,
    path: '/v2/deployments/{deployment_id}/revisions/{revision_id}/interruption',
    summary: 'Interrupt a revision that has not ended; what served goes on serving',
  }),
  interruptRevisionAlias: endpoint({
    ...interruption,
    path: '/v2/deployments/{deployment_id}/revisions/{revision_id}/interrupt',
    summary: 'Alias of the interruption',
  }),
};
