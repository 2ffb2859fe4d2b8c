import { z } from 'zod';
import { sourceAliasNames, withOurKeys, withOurSource } from './aliases.ts';
import { endpoint } from '../endpoints/endpoint.ts';
import { filterBy, queryFlag, queryInt, queryList, Timestamp, Uuid } from '../values/query-values.ts';
import { DnsLabel, ObjectName, ResourceSpec } from './resource-spec.ts';
import { DeploymentStatus, StatusReason } from './statuses.ts';
import { WellFormedText } from '../values/well-formed-text.ts';

export const mounts = ['', '/api-host'];

export const SourceKind = z
  .enum(['git', 'external_image', 'internal_image', 'internal_source', 'internal_template'])
  .meta({ id: 'SourceKind' });
export type SourceKind = z.output<typeof SourceKind>;
const AnySource = z.preprocess(withOurSource, SourceKind);
/**
 * A source by its client's name for it, which a deployment goes on showing: some clients compare it with what they
 * sent.
 */
export const SourceName = z.enum([...SourceKind.options, ...sourceAliasNames]).meta({ id: 'SourceName' });
export type SourceName = z.output<typeof SourceName>;

export function sourceOf(name: SourceName): SourceKind {
  return AnySource.parse(name);
}

export const DeploymentName = WellFormedText.regex(
  /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
  'must be 1 to 63 lower-case letters, digits or hyphens, and neither begin nor end with a hyphen',
);

/** A name for people. */
const DisplayName = WellFormedText.min(1).max(200);

/** The types of the specification, and those that the original's newer clients send. They have no effect. */
export const DeploymentType = z.enum([
  'dev_free',
  'dev',
  'prod',
  'dev_zero',
  'dev_free_zero',
  'serverless',
  'dedicated',
]);

export const SourceConfig = z
  .object({
    integration_id: Uuid.nullish(),
    repo_url: WellFormedText.max(2000).nullish(),
    deployment_type: DeploymentType.nullish(),
    build_on_push: z.boolean().nullish(),
    custom_url: z
      .url({ protocol: /^https?$/ })
      .max(2000)
      .nullish(),
    resource_spec: ResourceSpec.nullish(),
    listener_id: Uuid.nullish(),
    template_id: WellFormedText.max(100).nullish(),
    listener_config: z.preprocess(withOurKeys, z.object({ cluster_namespace: DnsLabel.nullish() })).nullish(),
    install_command: WellFormedText.max(2000).nullish(),
    build_command: WellFormedText.max(2000).nullish(),
  })
  .meta({ id: 'SourceConfig' });
export type SourceConfig = z.output<typeof SourceConfig>;

/** The config of a revision's source in a request; `repo_commit_sha` is read-only and ignored here. */
export const SourceRevisionConfig = z
  .object({
    repo_ref: WellFormedText.max(500).nullish(),
    langgraph_config_path: WellFormedText.max(500).nullish(),
    image_uri: WellFormedText.max(1000).nullish(),
    source_tarball_path: WellFormedText.max(1000).nullish(),
  })
  .meta({ id: 'SourceRevisionConfig' });
export type SourceRevisionConfig = z.output<typeof SourceRevisionConfig>;

const VariableName = WellFormedText.regex(
  /^[A-Za-z_][A-Za-z0-9_]*$/,
  'must be a valid environment variable name',
).max(256);

export const Secret = z
  .object({
    name: VariableName,
    value: WellFormedText.max(65_536),
  })
  .meta({ id: 'Secret' });
export type Secret = z.output<typeof Secret>;

export const SecretReference = z
  .object({
    name: VariableName,
    secret_name: ObjectName,
    secret_key: WellFormedText.max(253).regex(
      /^[-._a-zA-Z0-9]+$/,
      'must be letters, digits, hyphens, underscores or dots',
    ),
  })
  .meta({ id: 'SecretReference' });
export type SecretReference = z.output<typeof SecretReference>;

export const DeploymentCreateRequest = z
  .object({
    name: DeploymentName,
    display_name: DisplayName.nullish(),
    source: SourceName,
    source_config: SourceConfig,
    source_revision_config: SourceRevisionConfig,
    secrets: z.array(Secret).max(500),
    secret_references: z.array(SecretReference).max(500).nullish(),
  })
  .meta({ id: 'DeploymentCreateRequest' });
export type DeploymentCreateRequest = z.output<typeof DeploymentCreateRequest>;

/** All optional; null or absent means unchanged. */
export const DeploymentPatchRequest = z
  .object({
    name: WellFormedText.nullish(),
    display_name: DisplayName.nullish(),
    source: AnySource.nullish(),
    revision_source: AnySource.nullish(),
    source_config: SourceConfig.nullish(),
    source_revision_config: SourceRevisionConfig.nullish(),
    secrets: z.array(Secret).max(500).nullish(),
    secret_references: z.array(SecretReference).max(500).nullish(),
  })
  .meta({ id: 'DeploymentPatchRequest' });
export type DeploymentPatchRequest = z.output<typeof DeploymentPatchRequest>;

/** The mask in place of each secret value in every answer; sent back it means "keep this one". */
export const SECRET_MASK = '********';

export const Deployment = z
  .object({
    id: Uuid,
    name: WellFormedText,
    display_name: WellFormedText.nullable(),
    tenant_id: Uuid,
    source: SourceName,
    source_config: z.record(WellFormedText, z.unknown()),
    source_revision_config: z.record(WellFormedText, z.unknown()),
    secrets: z.array(z.object({ name: WellFormedText, value: z.literal(SECRET_MASK) })),
    secret_references: z.array(SecretReference).nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
    status: DeploymentStatus,
    /** The trouble of the revision that serves; null without any. */
    status_reason: StatusReason.nullable(),
    /** What of the revision that serves has no effect where it runs, in sentences that name the fields. */
    notes: z.array(WellFormedText),
    latest_revision_id: Uuid.nullable(),
    active_revision_id: Uuid.nullable(),
    image_version: WellFormedText.nullable(),
    /** The address of the agent server; null before the first revision is active. */
    url: WellFormedText.nullable(),
    tracer_session_id: Uuid.nullable(),
  })
  .meta({ id: 'Deployment' });
export type Deployment = z.output<typeof Deployment>;

export const deploymentParams = z.object({ deployment_id: Uuid });
const params = deploymentParams;

export const deployments = {
  createDeployment: endpoint({
    method: 'POST',
    path: '/v2/deployments',
    summary: 'Create a deployment and its first revision',
    access: 'deployments:write',
    mounts,
    errors: [409],
    body: DeploymentCreateRequest,
    success: { status: 201, body: Deployment },
    example: {
      body: {
        name: 'support-agent',
        source: 'internal_source',
        source_config: {},
        source_revision_config: { langgraph_config_path: 'langgraph.json' },
        secrets: [{ name: 'OPENAI_API_KEY', value: 'sk-example' }],
      },
    },
  }),
  listDeployments: endpoint({
    method: 'GET',
    path: '/v2/deployments',
    summary: 'List deployments, newest first; with `name_contains` the one of exactly that name first',
    access: 'deployments:read',
    mounts,
    query: z.object({
      limit: queryInt({ min: 1, max: 100, fallback: 20 }),
      offset: queryInt({ fallback: 0 }),
      name: WellFormedText.optional(),
      name_contains: WellFormedText.optional(),
      status: z.union([DeploymentStatus, z.literal('deleted')]).optional(),
      deployment_ids: filterBy(queryList(Uuid)),
      deployment_type: DeploymentType.optional(),
      /** The version of the agent server. */
      image_version: WellFormedText.max(100).optional(),
      /** Whether a listener of the workspace runs it, and not the platform's own. */
      remote_reconciled: queryFlag.optional(),
    }),
    success: { status: 200, body: z.object({ resources: z.array(Deployment), offset: z.number() }) },
    example: { query: { limit: '10', name_contains: 'support' } },
  }),
  readDeployment: endpoint({
    method: 'GET',
    path: '/v2/deployments/{deployment_id}',
    summary: 'Read a deployment',
    access: 'deployments:read',
    mounts,
    params,
    success: { status: 200, body: Deployment, or: 304 },
  }),
  patchDeployment: endpoint({
    method: 'PATCH',
    path: '/v2/deployments/{deployment_id}',
    summary: 'Change a deployment; a revision-triggering field makes a new revision',
    access: 'deployments:write',
    mounts,
    errors: [409, 412],
    params,
    body: DeploymentPatchRequest,
    success: { status: 200, body: Deployment },
    example: { body: { secrets: [{ name: 'OPENAI_API_KEY', value: 'sk-another' }] } },
  }),
  deleteDeployment: endpoint({
    method: 'DELETE',
    path: '/v2/deployments/{deployment_id}',
    summary: 'Stop and unroute a deployment; its record and database rest in the bin',
    access: 'deployments:admin',
    mounts,
    errors: [409, 412],
    params,
    query: z.object({ delete_tracing_project: queryFlag.default(false), force: queryFlag.default(false) }),
    success: { status: 204 },
    example: { query: { delete_tracing_project: 'true' } },
  }),
  deleteSecret: endpoint({
    method: 'DELETE',
    path: '/v2/deployments/{deployment_id}/secrets/{name}',
    summary: 'Remove one secret; makes a new revision',
    access: 'deployments:write',
    mounts,
    errors: [409, 412],
    params: params.extend({ name: WellFormedText }),
    success: { status: 204 },
  }),
};
