import type {
  DeploymentCreateRequest,
  DeploymentPatchRequest,
  ResourceSpec,
  SecretReference,
  SourceConfig,
  SourceKind,
  StatusReason,
} from '@roadstead/contracts/control-plane';
import { Problem } from '@roadstead/kit';
import { checkCommand, checkConfigPath, checkCustomUrl } from './command-rules.ts';
import { checkResourceSpec } from './resource-spec-rules.ts';
import { checkImage } from './image-rules.ts';
import {
  checkCreateFields,
  checkPatchFields,
  type Field,
  fieldRule,
  isSaid,
  sourceForms,
  triggersRevision,
} from './source-rules.ts';
import {
  checkReferences,
  type EnvironmentChange,
  planEnvironment,
} from '../environments/environment-rules.ts';
import { checkGitSource } from '../git-hosts/git-source-rules.ts';
import { DEFAULT_REF } from '../git-hosts/remote-rules.ts';

/** A deployment's `source_config` as it is stored: every field, null where nothing was sent. */
export type StoredSourceConfig = {
  readonly [K in keyof SourceConfig]-?: Exclude<SourceConfig[K], undefined>;
};

/** Everything that makes a revision, apart from its environment; never changes once stored. */
export interface RevisionConfig {
  readonly repo_ref: string | null;
  readonly langgraph_config_path: string | null;
  readonly image_uri: string | null;
  readonly source_tarball_path: string | null;
  readonly install_command: string | null;
  readonly build_command: string | null;
  /** Absent, like the next field, from revisions that an earlier version stored. */
  readonly resource_spec?: ResourceSpec | null;
  readonly secret_references?: readonly SecretReference[];
}

/** The state that a patch is compared with. */
export interface PatchedDeployment {
  readonly name: string;
  readonly source: SourceKind;
  readonly source_config: StoredSourceConfig;
  /** The deployment's address, which it shows as `custom_url`. */
  readonly url: string | null;
  /** The configuration of the latest revision. */
  readonly config: RevisionConfig;
  readonly secret_names: readonly string[];
  /** The listener that runs it, and the namespace in which it does. */
  readonly listener_id: string;
  readonly namespace: string | null;
}

export interface DerivedRevision {
  readonly source_config: StoredSourceConfig;
  /** The configuration of the next revision; undefined when the request triggers none. */
  readonly revision: RevisionConfig | undefined;
  /** Undefined: the environment of the latest revision stays. */
  readonly environment: EnvironmentChange | undefined;
}

/** Derives a deployment and its first revision from a create request. Throws when the request breaks a rule. */
export function deriveFirst(
  request: DeploymentCreateRequest & { readonly source: SourceKind },
): DerivedRevision & { readonly revision: RevisionConfig } {
  const { source, source_config, source_revision_config: asked } = request;
  checkCreateFields(source, request);
  checkValues(request);
  const environment = planEnvironment([], request.secrets);
  checkReferences(request.secret_references ?? [], environment?.names ?? []);
  if (asked.source_tarball_path) throw foreignTarball();
  const stored = mergeSourceConfig(source, { present: emptySourceConfig, asked: source_config });
  const merged = mergeRevision(emptyRevision, request, stored);
  const revision = source === 'git' ? { ...merged, repo_ref: merged.repo_ref ?? DEFAULT_REF } : merged;
  if (source === 'git') checkGitSource(stored, revision);
  return { source_config: stored, environment, revision };
}

/**
 * Derives the changes that a patch makes. Null and absent mean unchanged. `always` makes a revision even when nothing
 * triggers one. Throws `invalid` when it breaks a rule.
 */
export function deriveRevision(
  current: PatchedDeployment,
  patch: DeploymentPatchRequest,
  { always = false }: { readonly always?: boolean } = {},
): DerivedRevision {
  const present = presentFields(current);
  checkPatchFields(current.source, patch, present);
  checkValues(patch, current.source_config.resource_spec);
  const environment = planEnvironment(current.secret_names, patch.secrets);
  const source_config = mergeSourceConfig(current.source, {
    present: current.source_config,
    asked: patch.source_config,
  });
  const config = mergeRevision(current.config, patch, source_config);
  if (current.source === 'git') checkGitSource(source_config, config);
  checkReferences(config.secret_references ?? [], environment?.names ?? current.secret_names);
  const triggered = always || triggersRevision(patch, present);
  if (triggered && config.source_tarball_path !== null && config.langgraph_config_path === null)
    throw new Problem(
      'invalid',
      'source_revision_config.langgraph_config_path is required with the first source of a deployment.',
    );
  return { source_config, environment, revision: triggered ? config : undefined };
}

/** Why a revision without a source waits; null when it has one. */
export function awaitingReason(of: {
  readonly deployment_id: string;
  readonly source: SourceKind;
  readonly source_digest: string | null;
  readonly config: Pick<RevisionConfig, 'image_uri'>;
}): StatusReason | null {
  if (of.source === 'git' || of.source_digest !== null || of.config.image_uri !== null) return null;
  return sourceForms[of.source] === 'image' ? awaitingImage : awaitingSource(of.deployment_id);
}

const awaitingImage: StatusReason = {
  phase: 'source',
  code: 'awaiting_image',
  message: 'Waits for its image.',
  hint: 'PATCH source_revision_config.image_uri.',
};

function awaitingSource(deployment_id: string): StatusReason {
  return {
    phase: 'source',
    code: 'awaiting_source',
    message: 'Waits for its source.',
    hint: `Ask POST /v2/deployments/${deployment_id}/upload-url for an address, PUT the archive there, then PATCH source_revision_config.source_tarball_path.`,
  };
}

/** The sentence for a tarball path that is not ours, belongs to another deployment, or is made up. */
export function foreignTarball(): Problem {
  return new Problem(
    'invalid',
    'source_revision_config.source_tarball_path must be an object_path that POST /v2/deployments/{deployment_id}/upload-url gave for this deployment.',
  );
}

const revisionFields = ['repo_ref', 'langgraph_config_path', 'image_uri', 'source_tarball_path'] as const;

function checkValues(
  request: Pick<DeploymentPatchRequest, 'source_config' | 'source_revision_config' | 'secret_references'>,
  present: ResourceSpec | null = null,
): void {
  for (const field of ['install_command', 'build_command'] as const) {
    const command = request.source_config?.[field];
    if (isGiven(command)) checkCommand(`source_config.${field}`, command);
  }
  const path = request.source_revision_config?.langgraph_config_path;
  if (isGiven(path)) checkConfigPath(path);
  const image_uri = request.source_revision_config?.image_uri;
  if (isGiven(image_uri)) checkImage(image_uri);
  const { custom_url, resource_spec } = request.source_config ?? {};
  if (isGiven(custom_url)) checkCustomUrl(custom_url);
  if (isGiven(resource_spec)) checkResourceSpec(resource_spec, present);
}

/**
 * The fields as a caller last saw them: sent back unchanged they must be accepted. A place that was chosen for a
 * deployment may be named later.
 */
function presentFields(current: PatchedDeployment) {
  const { name, source, source_config, config, url, listener_id, namespace } = current;
  return {
    name,
    source,
    revision_source: source,
    source_config: {
      ...source_config,
      custom_url: url ?? source_config.custom_url,
      listener_id: source_config.listener_id ?? listener_id,
      listener_config: source_config.listener_config ?? { cluster_namespace: namespace },
    },
    source_revision_config: config,
    secret_references: config.secret_references,
  };
}

const emptySourceConfig: StoredSourceConfig = {
  integration_id: null,
  repo_url: null,
  deployment_type: null,
  build_on_push: null,
  custom_url: null,
  resource_spec: null,
  listener_id: null,
  template_id: null,
  listener_config: null,
  install_command: null,
  build_command: null,
};

const emptyRevision: RevisionConfig = {
  repo_ref: null,
  langgraph_config_path: null,
  image_uri: null,
  source_tarball_path: null,
  install_command: null,
  build_command: null,
  resource_spec: null,
  secret_references: [],
};

/** Fields that are only shown, and not set by callers, are not stored either. */
function mergeSourceConfig(
  source: SourceKind,
  {
    present,
    asked,
  }: { readonly present: StoredSourceConfig; readonly asked: SourceConfig | null | undefined },
): StoredSourceConfig {
  const given = Object.entries(asked ?? {}).filter(
    ([name, value]) =>
      isSaid(`source_config.${name}`, value) &&
      fieldRule(source, `source_config.${name}` as Field) !== 'read_only',
  );
  const merged: StoredSourceConfig = { ...present, ...Object.fromEntries(given) };
  return {
    ...merged,
    deployment_type: present.deployment_type ?? merged.deployment_type,
    install_command: orNull(merged.install_command),
    build_command: orNull(merged.build_command),
  };
}

function mergeRevision(
  present: RevisionConfig,
  asked: Pick<DeploymentPatchRequest, 'source_revision_config' | 'secret_references'>,
  { install_command, build_command, resource_spec }: StoredSourceConfig,
): RevisionConfig {
  const given = revisionFields.flatMap((field) => {
    const value = asked.source_revision_config?.[field];
    return isGiven(value) ? [[field, value] as const] : [];
  });
  const secret_references = asked.secret_references ?? present.secret_references ?? [];
  return {
    ...present,
    ...Object.fromEntries(given),
    install_command,
    build_command,
    resource_spec,
    secret_references,
  };
}

/** Callers send an empty command to have it detected again. */
function orNull(command: string | null): string | null {
  return command === null || command.trim() === '' ? null : command;
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
