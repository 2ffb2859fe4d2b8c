import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { queryInt, Uuid } from '../query-values.ts';
import { mounts } from './deployments.ts';
import { Manifest } from '../host/manifest.ts';
import { LogLevel, StatusReason } from './revisions.ts';
import { Phase } from './statuses.ts';

/**
 * Listeners run deployments somewhere. They fetch desired state and report what they observe; nothing calls them
 * (house.md "The listener protocol").
 */

export const ComputeType = z.enum(['process', 'container', 'cluster']);

export const Listener = z
  .object({
    id: z.string(),
    compute_type: ComputeType,
    compute_id: z.string(),
    compute_config: z.record(z.string(), z.unknown()),
    version: z.string().nullable(),
    capabilities: z.array(z.string()),
    isolation: z.enum(['none', 'user', 'container', 'pod']),
    last_seen_at: z.string().nullable(),
    lease_expires_at: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'Listener' });
export type Listener = z.output<typeof Listener>;

/** Everything a listener needs to run one revision, but for its environment. */
export const AssignedRevision = z
  .object({
    id: z.string(),
    number: z.number(),
    /** Signed GET address of the source archive; null when `artifact_url` says it all. */
    source_url: z.string().nullable(),
    source_digest: z.string().nullable(),
    /** Signed GET address of the built artifact; null until it is built. */
    artifact_url: z.string().nullable(),
    artifact_digest: z.string().nullable(),
    /** Signed PUT address for the artifact that this listener builds. */
    artifact_put_url: z.string().nullable(),
    config: z.object({
      langgraph_config_path: z.string(),
      install_command: z.string().nullable(),
      build_command: z.string().nullable(),
    }),
    environment_version: z.number(),
  })
  .meta({ id: 'AssignedRevision' });
export type AssignedRevision = z.output<typeof AssignedRevision>;

/** The whole desired state of one deployment. */
export const Assignment = z
  .object({
    deployment_id: z.string(),
    workspace_id: z.string(),
    name: z.string(),
    slug: z.string(),
    generation: z.number(),
    fence: z.number(),
    /** The revision to reach; null while there is none to reach. */
    revision: AssignedRevision.nullable(),
    /** The revision that last served: it is brought back first, and goes on serving while `revision` is tried. */
    active: AssignedRevision.nullable(),
    /** Stop and unroute; then report `done`. */
    removed: z.boolean(),
    /** With `removed`: the database goes too. */
    purge: z.boolean(),
  })
  .meta({ id: 'Assignment' });
export type Assignment = z.output<typeof Assignment>;

/** What a listener sees of a deployment. `done` with `removed` has phase `switch` and no revision. */
export const Observation = z
  .object({
    generation: z.number().int(),
    fence: z.number().int(),
    revision_id: z.string().nullable(),
    phase: Phase,
    outcome: z.enum(['running', 'done', 'failed']),
    reason: StatusReason.nullable(),
    artifact_digest: z.string().nullable(),
    manifest: Manifest.nullable(),
    url: z.string().nullable(),
    database_ready: z.boolean(),
    hosts: z.number().int(),
  })
  .meta({ id: 'Observation' });
export type Observation = z.output<typeof Observation>;

const params = z.object({ listener_id: Uuid });
const assignmentParams = params.extend({ deployment_id: Uuid });

export const listeners = {
  listListeners: endpoint({
    method: 'GET',
    path: '/v2/listeners',
    summary: 'List the listeners that can run deployments of this workspace',
    access: 'deployments:read',
    mounts,
    query: z.object({
      limit: queryInt({ min: 1, max: 100, fallback: 20 }),
      offset: queryInt({ fallback: 0 }),
    }),
    success: { status: 200, body: z.object({ resources: z.array(Listener), offset: z.number() }) },
  }),
  readListener: endpoint({
    method: 'GET',
    path: '/v2/listeners/{listener_id}',
    summary: 'Read a listener',
    access: 'deployments:read',
    mounts,
    params,
    success: { status: 200, body: Listener },
  }),
  readAssignments: endpoint({
    method: 'GET',
    path: '/v2/listeners/{listener_id}/assignments',
    summary:
      'Desired state that changed after a generation; heartbeat and lease in one. `since=0` is a restart',
    access: 'listener',
    workspace: 'any',
    params,
    query: z.object({
      since: queryInt({ fallback: 0 }),
      wait_s: queryInt({ max: 25, fallback: 0 }),
      /** The fence that this listener holds; absent with `since=0`, which draws a new one. A stale one is 409. */
      fence: z.coerce.number().int().optional(),
      version: z.string().max(100).optional(),
      isolation: z.enum(['none', 'user', 'container', 'pod']).optional(),
    }),
    success: {
      status: 200,
      body: z.object({
        assignments: z.array(Assignment),
        generation: z.number(),
        fence: z.number(),
        lease_expires_at: z.string(),
      }),
    },
  }),
  observe: endpoint({
    method: 'PUT',
    path: '/v2/listeners/{listener_id}/assignments/{deployment_id}/observed',
    summary: 'Report what a listener observes of a deployment; a stale fence is 409',
    access: 'listener',
    workspace: 'any',
    params: assignmentParams,
    body: Observation,
    success: { status: 200, body: z.object({ generation: z.number() }) },
  }),
  readEnvironment: endpoint({
    method: 'GET',
    path: '/v2/listeners/{listener_id}/assignments/{deployment_id}/environment',
    summary: 'The environment of a revision in clear; for the holder of the lease, kept in memory only',
    access: 'listener',
    workspace: 'any',
    params: assignmentParams,
    query: z.object({ revision_id: Uuid, fence: z.coerce.number().int() }),
    success: {
      status: 200,
      body: z.object({
        version: z.number(),
        variables: z.array(z.object({ name: z.string(), value: z.string() })),
      }),
    },
  }),
  appendLogs: endpoint({
    method: 'POST',
    path: '/v2/listeners/{listener_id}/assignments/{deployment_id}/logs',
    summary: 'A chunk of log lines; the same `seq` again is ignored, a stale fence is 409',
    access: 'listener',
    workspace: 'any',
    params: assignmentParams,
    body: z.object({
      fence: z.number().int(),
      revision_id: Uuid,
      kind: z.enum(['build', 'server']),
      /** Names the writer's life: sequences begin anew with it. */
      writer: z.string().min(1).max(64),
      seq: z.number().int().min(0),
      lines: z
        .array(
          z.object({
            at: z.iso.datetime(),
            level: LogLevel,
            message: z.string(),
          }),
        )
        .max(5000),
    }),
    success: { status: 204 },
  }),
  readBlob: endpoint({
    method: 'GET',
    path: '/v2/blobs/{token}',
    summary: 'Read a blob at its signed address',
    auth: 'token',
    params: z.object({ token: z.string().max(4000) }),
  }),
  putBlob: endpoint({
    method: 'PUT',
    path: '/v2/blobs/{token}',
    summary: 'Write a blob at its signed address; answers its digest',
    auth: 'token',
    params: z.object({ token: z.string().max(4000) }),
    raw: true,
    max_body_bytes: 2_147_483_648,
    success: { status: 200, body: z.object({ digest: z.string(), size: z.number() }) },
  }),
};
