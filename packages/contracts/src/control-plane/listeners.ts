import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { queryInt, queryList, Uuid, Timestamp } from '../values/query-values.ts';
import { withOurKeys } from './aliases.ts';
import { mounts } from './deployments.ts';
import { Assignment, Observation, SourceForm } from './listener-protocol.ts';
import { RepairedText } from '../values/repaired-text.ts';
import { LogLevel } from './logs.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

/** Listeners run deployments somewhere. They fetch desired state and report what they observe; nothing calls them. */

/** The way in which memory and CPU of builds and agents are limited: by the kernel, by watching them, or not at all. */
export const ResourceLimits = z.enum(['cgroup', 'watch', 'none']);
export type ResourceLimits = z.output<typeof ResourceLimits>;

export const ComputeType = z.enum(['process', 'container', 'cluster']);
export type ComputeType = z.output<typeof ComputeType>;

export const Listener = z
  .object({
    id: Uuid,
    compute_type: ComputeType,
    compute_id: WellFormedText,
    compute_config: z.record(WellFormedText, z.unknown()),
    version: WellFormedText.nullable(),
    /** The kinds of source that it can run. */
    capabilities: z.array(SourceForm),
    isolation: z.enum(['none', 'namespace', 'user', 'container', 'pod']),
    resource_limits: ResourceLimits,
    /** The namespaces in which its data plane runs agents; null until that says so, and empty where it has none. */
    served_namespaces: z.array(WellFormedText).nullable(),
    last_seen_at: Timestamp.nullable(),
    lease_expires_at: Timestamp.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Listener' });
export type Listener = z.output<typeof Listener>;

/** `k8s` and `k8s_namespaces` are the names that the original has. */
const SentComputeType = z.preprocess((sent) => (sent === 'k8s' ? 'cluster' : sent), ComputeType);
/** The name of a namespace of a cluster. */
export const Namespace = WellFormedText.regex(
  /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
  'must be the name of a namespace',
);
const SentComputeConfig = z.preprocess(
  withOurKeys,
  z.object({ cluster_namespaces: z.array(Namespace).max(100).nullish() }),
);
const ComputeId = WellFormedText.min(1).max(200);
const Version = WellFormedText.max(100);
/** The key that authenticates it; it is shown once, and reaches this listener only. */
const ListenerWithKey = Listener.extend({ key: WellFormedText });

/** The name of one data plane among those of its listener, such as that of its pod. */
export const InstanceName = WellFormedText.regex(
  /^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/,
  'must have small letters, digits, dots and hyphens, up to 63',
);
/** Where an edge calls agents of an instance. */
export const InstanceAddress = z.url({ protocol: /^https?$/ }).max(300);

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
    example: { query: { limit: '10' } },
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
  createListener: endpoint({
    method: 'POST',
    path: '/v2/listeners',
    summary: 'Register a listener elsewhere; the key by which it proves itself is in this answer only',
    access: 'deployments:admin',
    mounts,
    errors: [409],
    body: z.object({
      version: Version.nullish(),
      compute_type: SentComputeType,
      compute_id: ComputeId,
      compute_config: SentComputeConfig,
    }),
    success: { status: 201, body: ListenerWithKey },
    example: { body: { compute_type: 'process', compute_id: 'berlin', compute_config: {} } },
  }),
  patchListener: endpoint({
    method: 'PATCH',
    path: '/v2/listeners/{listener_id}',
    summary: 'Change version or namespaces of a listener; the rest of it never changes',
    access: 'deployments:admin',
    mounts,
    errors: [409],
    params,
    body: z.object({
      version: Version.nullish(),
      compute_config: SentComputeConfig.nullish(),
      compute_type: SentComputeType.nullish(),
      compute_id: ComputeId.nullish(),
    }),
    success: { status: 200, body: Listener },
    example: { body: { version: '0.1.0' } },
  }),
  deleteListener: endpoint({
    method: 'DELETE',
    path: '/v2/listeners/{listener_id}',
    summary: 'Remove a listener and its key; 409 while it has deployments, those in the bin included',
    access: 'deployments:admin',
    mounts,
    errors: [409],
    params,
    success: { status: 204 },
  }),
  rotateListenerKey: endpoint({
    method: 'POST',
    path: '/v2/listeners/{listener_id}/rotate-key',
    summary: 'Draw a new key for a listener, in this answer only; the earlier one ends',
    access: 'deployments:admin',
    mounts,
    errors: [409],
    params,
    success: { status: 200, body: ListenerWithKey },
  }),
  readAssignments: endpoint({
    method: 'GET',
    path: '/v2/listeners/{listener_id}/assignments',
    summary:
      'Desired state that changed after a generation; heartbeat and lease in one. `since=0` is a restart',
    access: 'listener',
    errors: [409],
    workspace: 'any',
    params,
    query: z.object({
      since: queryInt({ fallback: 0 }),
      wait_s: queryInt({ max: 25, fallback: 0 }),
      /** The fence that this listener holds; absent with `since=0`, which draws a new one. A stale one is 409. */
      fence: z.coerce.number().int().optional(),
      version: WellFormedText.max(100).optional(),
      isolation: z.enum(['none', 'namespace', 'user', 'container', 'pod']).optional(),
      resource_limits: ResourceLimits.optional(),
      /** Where agents run, of the platform’s own listener: its operator chooses anew at each start. Others are what they were made as. */
      compute_type: ComputeType.optional(),
      /** The kinds of source that this listener can run; absent keeps those that are known. */
      capabilities: queryList(SourceForm).optional(),
      /** The namespaces in which this listener runs agents; absent beside `capabilities`, it has none. */
      served_namespaces: queryList(Namespace).optional(),
      /** Its name where the listener has several instances, which share its deployments; absent, it has all of them. */
      instance: InstanceName.optional(),
      /** The address at which an edge calls agents of this instance; absent where its edge knows it otherwise. */
      address: InstanceAddress.optional(),
      /** Says what becomes of its deployments: while `draining`, its deployments go to other instances; once it has `left`, it runs none any more, and its lease ends. */
      instance_state: z.enum(['serving', 'draining', 'left']).default('serving'),
    }),
    success: {
      status: 200,
      body: z.object({
        assignments: z.array(Assignment),
        generation: z.number(),
        fence: z.number(),
        lease_expires_at: Timestamp,
        /** How many other instances take deployments; absent from older platforms. */
        others: z.number().optional(),
      }),
    },
    example: { query: { since: '4', wait_s: '0', fence: '2', version: '0.1.0' } },
  }),
  handOver: endpoint({
    method: 'PUT',
    path: '/v2/listeners/{listener_id}/assignments/{deployment_id}/handover',
    summary: 'Report that an instance can take a deployment over, or has closed it; a stale fence is 409',
    access: 'listener',
    errors: [409],
    workspace: 'any',
    params: assignmentParams,
    body: z.object({
      /** Proves the instance’s lease for `prepared`, and that it holds the assignment for `released`. */
      fence: z.number().int(),
      instance: InstanceName,
      step: z.enum(['prepared', 'released']),
    }),
    success: { status: 204 },
    example: { body: { fence: 2, instance: 'data-plane-1', step: 'prepared' } },
  }),
  observe: endpoint({
    method: 'PUT',
    path: '/v2/listeners/{listener_id}/assignments/{deployment_id}/observed',
    summary: 'Report what a listener observes of a deployment; a stale fence is 409',
    access: 'listener',
    errors: [409],
    workspace: 'any',
    params: assignmentParams,
    body: Observation,
    max_body_values: 200_000,
    success: { status: 200, body: z.object({ generation: z.number() }) },
    example: {
      body: {
        generation: 4,
        fence: 2,
        revision_id: '0199d3a0-0000-7000-8000-000000000001',
        phase: 'switch',
        outcome: 'done',
        reason: null,
        artifact: { kind: 'folder', digest: `sha256:${'0'.repeat(64)}` },
        manifest: null,
        url: 'http://127.0.0.1:4100/agents/support-agent',
        database_ready: true,
        hosts: 1,
      },
    },
  }),
  readEnvironment: endpoint({
    method: 'GET',
    path: '/v2/listeners/{listener_id}/assignments/{deployment_id}/environment',
    summary: 'The environment of a revision in clear; for the holder of the lease, kept in memory only',
    access: 'listener',
    errors: [409],
    workspace: 'any',
    params: assignmentParams,
    query: z.object({ revision_id: Uuid, fence: z.coerce.number().int() }),
    success: {
      status: 200,
      body: z.object({
        version: z.number(),
        variables: z.array(z.object({ name: WellFormedText, value: WellFormedText })),
      }),
    },
    example: { query: { revision_id: '0199d3a0-0000-7000-8000-000000000001', fence: '2' } },
  }),
  appendLogs: endpoint({
    method: 'POST',
    path: '/v2/listeners/{listener_id}/assignments/{deployment_id}/logs',
    summary: 'A chunk of log lines; the same `seq` again is ignored, a stale fence is 409',
    access: 'listener',
    errors: [409],
    workspace: 'any',
    params: assignmentParams,
    max_body_values: 200_000,
    body: z.object({
      fence: z.number().int(),
      revision_id: Uuid,
      kind: z.enum(['build', 'server']),
      /** The id of the writer's life: sequences begin again with it. */
      writer: WellFormedText.min(1).max(64),
      seq: z.number().int().min(0),
      lines: z
        .array(
          z.object({
            at: z.iso.datetime(),
            level: LogLevel,
            message: RepairedText,
          }),
        )
        .max(5000),
    }),
    success: { status: 204 },
    example: {
      body: {
        fence: 2,
        revision_id: '0199d3a0-0000-7000-8000-000000000001',
        kind: 'build',
        writer: 'a',
        seq: 0,
        lines: [{ at: '2026-01-05T09:00:00.000Z', level: 'INFO', message: 'npm ci' }],
      },
    },
  }),
};
